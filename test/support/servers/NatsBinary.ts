/** The nats-server that tests run. Where there is none new enough they are skipped, but never in CI. */
import * as childProcess from "node:child_process"
import * as path from "node:path"
import { root } from "../ServerProcess.ts"

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

/** A program that somebody names is the only one that counts. */
const chosen = process.env["NATS_SERVER"]
const places =
  chosen === undefined
    ? [path.join(root, "node_modules/.cache/nats-server/nats-server"), "nats-server"]
    : [chosen]

const found = places.flatMap((program) => {
  const version = versionOf(program)
  return version === undefined ? [] : [{ program, version }]
})

/** The program, a path or a name in PATH; `null` where there is none new enough. */
export const program: string | null = found.find(({ version }) => isNewEnough(version))?.program ?? null

export const isMissing = program === null && process.env["CI"] === undefined

const finding = found.map(({ program, version }) => `${program} is ${version}, `).join("")

/** What is missing and the command that brings it; empty where nothing is. */
export const whyNot =
  program === null
    ? ` (${finding}needs nats-server ${oldest.join(".")} or newer: test/support/servers/nats-server.sh)`
    : ""

/** The name of a test that needs the program: where it is skipped the name says why, and what to do about it. */
export const named = (name: string): string => `${name}${whyNot}`
