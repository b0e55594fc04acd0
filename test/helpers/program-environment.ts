/** Nothing of whoever runs the tests but where programs are, and the compiled code that lets them start in half the time. */
export function programEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE = '', XDG_CACHE_HOME = '' } = process.env;
  return { PATH, NODE_COMPILE_CACHE, XDG_CACHE_HOME, NODE_ENV: 'production', TZ: 'UTC' };
}
