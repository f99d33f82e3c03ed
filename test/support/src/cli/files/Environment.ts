/** The environment of the file commands: a server, a folder for files, and the state of uploads. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import type * as FaultyServer from "./FaultyServer.ts"

export const MiB = 1024 * 1024

/** The secret part of the server's key. */
export const secret = ServerProcess.apiKey.split(":")[1] ?? ""

/** A separate folder for each test. */
export const make = Effect.fnUntraced(function* (server: FaultyServer.FaultyServer) {
  const directory = yield* TempDirectory.make
  server.faults(() => null)
  const settings = {
    HOME: directory,
    XDG_STATE_HOME: path.join(directory, "state"),
    INFERLOG_URL: server.url,
    INFERLOG_API_KEY: ServerProcess.apiKey
  }
  const at = (name: string) => path.join(directory, name)
  return {
    at,
    settings,
    run: (...args: ReadonlyArray<string>) => Inferlog.run(["files", ...args], settings),
    begin: (...args: ReadonlyArray<string>) => Inferlog.begin(["files", ...args], settings),
    /** The stored state of uploads. */
    states: () => {
      const folder = at("state/inferlog/uploads")
      return fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => path.join(folder, name)) : []
    },
    file: (name: string, bytes: Uint8Array | string) => {
      fs.writeFileSync(at(name), bytes)
      return at(name)
    }
  }
})
export type Environment = Effect.Success<ReturnType<typeof make>>

/** Bytes that differ in each call. */
export const bytes = (length: number): Buffer => crypto.randomBytes(length)

/** The bytes served at the URL. */
export const fetched = (url: string) =>
  Effect.promise(async () => {
    const response = await fetch(url)
    return {
      status: response.status,
      contentType: response.headers.get("content-type"),
      body: Buffer.from(await response.arrayBuffer())
    }
  })

/** Compares digests, which fail more readably than a million bytes. */
export const digest = (body: Uint8Array): string => crypto.createHash("sha256").update(body).digest("hex")

/** Parts of the smallest allowed size. */
export const inParts = ["--part-size", "5MiB"]

/** The only line of stdout of a successful command. */
export const urlIn = ({ code, stderr, stdout }: Inferlog.Ended): string => {
  assert.strictEqual(code, 0, stderr)
  return stdout.trim()
}

export const isPut = ({ method }: FaultyServer.Seen) => method === "PUT"

/** The number of calls since the faults were set. */
export const puts = (server: FaultyServer.FaultyServer) => server.seen().filter(isPut).length
