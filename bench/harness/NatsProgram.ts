/** The nats-server that benchmarks and tests run. */
import * as childProcess from "node:child_process"
import * as path from "node:path"
import { root } from "./Program.ts"

/** Older ones let two appends win in a cluster. */
const oldest = [2, 10, 23]

const versionOf = (program: string): string | undefined => {
  const { stdout } = childProcess.spawnSync(program, ["--version"], { encoding: "utf8" })
  return /v(\d+\.\d+\.\d+)/.exec(stdout ?? "")?.[1]
}

const isNewEnough = (version: string): boolean => {
  const parts = version.split(".").map(Number)
  const differing = oldest.findIndex((part, index) => parts[index] !== part)
  return differing === -1 || (parts[differing] ?? 0) > (oldest[differing] ?? 0)
}

export interface Search {
  /** A path or a name in PATH; `null` where there is none new enough. */
  readonly program: string | null
  /** What is missing; empty where nothing is. */
  readonly missing: string
}

/** The command that brings one. */
export const remedy = "test/support/servers/nats-server.sh"

/** A program that `NATS_SERVER` names is the only one that counts. */
export const search = (): Search => {
  const chosen = process.env["NATS_SERVER"]
  const places =
    chosen === undefined
      ? [path.join(root, "node_modules/.cache/nats-server/nats-server"), "nats-server"]
      : [chosen]
  const found = places.flatMap((program) => {
    const version = versionOf(program)
    return version === undefined ? [] : [{ program, version }]
  })
  const program = found.find(({ version }) => isNewEnough(version))?.program ?? null
  if (program !== null) return { program, missing: "" }
  const others = found.map(({ program, version }) => `${program} is ${version}, `).join("")
  return { program, missing: `${others}needs nats-server ${oldest.join(".")} or newer` }
}
