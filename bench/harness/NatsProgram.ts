/** Finds the nats-server for benchmarks and tests. */
import * as childProcess from "node:child_process"
import * as path from "node:path"
import { root } from "./Program.ts"

/** In a cluster, older versions accept two conflicting appends. */
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
  /** A path or a name in PATH; `null` if no version is new enough. */
  readonly program: string | null
  /** Describes what is missing; empty if nothing is. */
  readonly missing: string
}

/** The command that installs it. */
export const remedy = "test/support/servers/nats-server.sh"

/** If `NATS_SERVER` names a program, only that program is considered. */
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
