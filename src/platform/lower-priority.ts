import { setPriority } from 'node:os'

/**
 * Of a process, or on Linux of this thread alone. A sandbox may forbid it, and the process may have ended: it is a courtesy to
 * other work, and nothing fails without it.
 */
export function lowerPriority(niceness: number, pid = 0): void {
  try {
    setPriority(pid, niceness)
  } catch {
    // As it was.
  }
}
