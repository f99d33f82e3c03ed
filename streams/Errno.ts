/** Names of system call errors. Node gives no `code` for some, such as `EDQUOT`, but always the number. */
import * as os from "node:os"

const names = new Map(Object.entries(os.constants.errno).map(([name, number]) => [number, name]))

/** For instance `ENOSPC`. `undefined` when the cause is not a system call error. */
export const nameOf = (cause: unknown): string | undefined => {
  if (cause instanceof Error && "code" in cause && /^E[A-Z0-9]+$/.test(String(cause.code)))
    return String(cause.code)
  if (!(cause instanceof Error) || !("errno" in cause) || typeof cause.errno !== "number") return undefined
  return names.get(Math.abs(cause.errno)) ?? `errno ${Math.abs(cause.errno)}`
}
