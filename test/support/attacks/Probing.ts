/** Measures the latency of honest callers during an attack. */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as path from "node:path"

export interface Latency {
  /** ms, like all times here. */
  readonly p50: number
  readonly p99: number
}

export interface Probe {
  readonly url: string
  /** With a key, the probe submits to `url`; without one it gets `url`. */
  readonly key?: string
}

/** Latency of `probe` while `attack` runs. Rejects if an answer is not 200. */
export const during = async ({ key, url }: Probe, attack: () => Promise<unknown>): Promise<Latency> => {
  const prober = path.join(import.meta.dirname, "Prober.ts")
  const args = key === undefined ? [url] : [url, key]
  const child = childProcess.spawn(process.execPath, [prober, ...args], {
    env: {},
    stdio: ["pipe", "pipe", "inherit"]
  })
  const chunks: Array<Buffer> = []
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
  const closed = once(child, "close")
  await Promise.race([once(child.stdout, "data"), closed])
  await attack()
  child.stdin.end()
  const [code] = await closed
  if (code !== 0) throw new Error(`The prober of ${url} ended with ${String(code)}`)
  const times: ReadonlyArray<number> = JSON.parse(Buffer.concat(chunks).toString())
  const sorted = times.toSorted((a, b) => a - b)
  const quantile = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0
  return { p50: quantile(0.5), p99: quantile(0.99) }
}
