/** Names of the errors of system calls. Node has no `code` for some of them, `EDQUOT` among them, but passes the number on. */
import * as os from "node:os"

const names = new Map(Object.entries(os.constants.errno).map(([name, number]) => [number, name]))

/** `ENOSPC` and the like; `undefined` for what is no error of a system call. */
export const nameOf = (cause: unknown): string | undefined => {
  if (cause instanceof Error && "code" in cause && /^E[A-Z0-9]+$/.test(String(cause.code)))
    return String(cause.code)
  if (!(cause instanceof Error) || !("errno" in cause) || typeof cause.errno !== "number") return undefined
  return names.get(Math.abs(cause.errno)) ?? `errno ${Math.abs(cause.errno)}`
}
