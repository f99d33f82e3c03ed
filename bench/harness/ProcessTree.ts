/** Reads CPU time and memory of processes on Linux. */
import * as fs from "node:fs"

/** On other systems no processes are found and all times are 0. */
export const isSupported = process.platform === "linux"

/** ms of one tick: `USER_HZ` is 100 on every Linux that Node supports. */
const tickMs = 10

interface Stat {
  readonly parent: number
  /** Time of the process and of its ended children. */
  readonly cpuMs: number
}

/** Returns `null` if the process does not exist. */
const read = (file: string): string | null => {
  try {
    return fs.readFileSync(file, "utf8")
  } catch {
    return null
  }
}

/** proc_pid_stat(5): the name, the second field, may hold spaces and parentheses. */
const stat = (pid: number): Stat | null => {
  const text = read(`/proc/${pid}/stat`)
  if (text === null) return null
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15).map(Number)
  return { parent: Number(fields[1]), cpuMs: (utime + stime + cutime + cstime) * tickMs }
}

const all = (): ReadonlyMap<number, Stat> => {
  const stats = new Map<number, Stat>()
  if (!isSupported) return stats
  for (const name of fs.readdirSync("/proc")) {
    const pid = Number(name)
    const found = Number.isInteger(pid) ? stat(pid) : null
    if (found !== null) stats.set(pid, found)
  }
  return stats
}

/** The live roots and all their descendants. */
const descendants = (stats: ReadonlyMap<number, Stat>, roots: ReadonlyArray<number>) => {
  const children = Map.groupBy(stats.keys(), (pid) => stats.get(pid)?.parent ?? 0)
  const found = new Set(roots.filter((pid) => stats.has(pid)))
  for (const pid of found) for (const child of children.get(pid) ?? []) found.add(child)
  return found
}

/** CPU time of the roots and their descendants so far, ms. */
export const cpuMs = (roots: ReadonlyArray<number>): number => {
  const stats = all()
  let total = 0
  for (const pid of descendants(stats, roots)) total += stats.get(pid)?.cpuMs ?? 0
  return total
}

/** A size in proc_pid_status(5), such as `VmRSS`, bytes. */
export const sizeOf = (pid: number, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(read(`/proc/${pid}/status`) ?? "")?.[1] ?? 0) * 1024

/** The sum of a size. Shared pages count for each process that has them. */
const sumOf = (roots: ReadonlyArray<number>, field: string): number => {
  let total = 0
  for (const pid of descendants(all(), roots)) total += sizeOf(pid, field)
  return total
}

/** Resident memory of the roots and their descendants, bytes. */
export const rssBytes = (roots: ReadonlyArray<number>): number => sumOf(roots, "VmRSS")

/** The sum of the peak resident memory of each process so far, bytes. */
export const peakRssBytes = (roots: ReadonlyArray<number>): number => sumOf(roots, "VmHWM")

/**
 * CPU time of the machine so far, on all cores, ms. Includes time that the host took. Excludes interrupts, because they serve
 * the network and the disk, and no process is charged with them.
 */
export const machineMs = (): number => {
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] = (read("/proc/stat") ?? "")
    .split("\n", 1)
    .flatMap((line) => line.split(/\s+/).slice(1).map(Number))
  return (user + nice + system + steal) * tickMs
}
