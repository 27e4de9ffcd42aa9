import { setPriority } from 'node:os'

/**
 * Lowers the priority of a process, or on Linux of this thread alone. A sandbox may forbid it, and the process may have ended: then
 * the work goes on with its old priority.
 */
export function lowerPriority(niceness: number, pid = 0): void {
  try {
    setPriority(pid, niceness)
  } catch {
    // The priority stays as it was.
  }
}
