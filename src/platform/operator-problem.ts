/**
 * A problem that keeps Inlet from starting or running, for the operator. The message is one clear sentence that says
 * what to do; it never holds a password or a value from the database.
 */
export class OperatorProblem extends Error {
  override name = 'OperatorProblem'
}

/** The system's reason in words: `EROFS` means nothing to most people who have to fix it. */
export function reasonOf(error: unknown): string {
  const { code = '', message = String(error) } = error as { code?: string; message?: string }
  return reasons[code] ?? (code || message)
}

export const codeOf = (error: unknown): string => (error as { code?: string }).code ?? ''

/** The port is taken (one of several processes binds it), the listen address does not belong to this machine, or its name cannot be resolved. */
export const isListenError = (error: unknown): boolean =>
  ['listen', 'bind', 'getaddrinfo'].includes((error as { syscall?: string }).syscall ?? '')

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a file of that name is in the way',
  ENOENT: 'it does not exist and cannot be made there',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
}

/** Settings that a start refuses, one per line. */
export class ConfigProblem extends Error {}
