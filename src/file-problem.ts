const problems: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'there is a file of that name',
  ELOOP: 'its links lead in a circle',
  ENOSPC: 'the disk is full',
};

/** An error of the operating system, such as that a file cannot be opened. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error && 'syscall' in error;

/** Why a file cannot be read or written, without a full stop. `missing` is said where there is none. */
export function fileProblem(error: unknown, { missing }: { missing?: string } = {}): string {
  if (!isSystemError(error)) return error instanceof Error ? error.message : String(error);
  const { code = '' } = error;
  if (code === 'ENOENT' && missing !== undefined) return missing;
  return problems[code] ?? error.message;
}
