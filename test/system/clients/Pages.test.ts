/** Runs the programs of README.md, clients.md and streams.md against one server: the blocks of a language are one program. */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import * as readline from "node:readline"
import { promisify } from "node:util"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Inferlog } from "#clients/typescript/Inferlog.ts"
import * as Python from "#test/support/clients/Python.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import { checkout } from "#test/support/src/composition/docs/Commands.ts"
import { programOf } from "#test/support/clients/Snippets.ts"

const { apiKey } = ServerProcess
const execute = promisify(childProcess.execFile)

interface Place {
  readonly cwd: string
  readonly url: string
}

class Served extends Context.Service<Served, Place>()("inferlog/test/clients/Served") {}

const served = Layer.effect(
  Served,
  Effect.gen(function* () {
    const cwd = yield* checkout
    const port = yield* Effect.promise(() => ServerProcess.freePort())
    const start = () => ServerProcess.start({ dataDirectory: path.join(cwd, "data"), port })
    const { url } = yield* Effect.acquireRelease(Effect.promise(start), ({ kill }) =>
      Effect.promise(() => kill("SIGTERM"))
    )
    return { cwd, url }
  })
)

/** What README.md has in place of its reader's address and key. */
const filled = (program: string, url: string) =>
  program.replaceAll("http://127.0.0.1:8080", url).replaceAll("<API_KEY>", apiKey)

const environmentOf = ({ cwd, url }: Place) => ({
  PATH: process.env["PATH"],
  HOME: cwd,
  ...Python.environment,
  PYTHONUNBUFFERED: "1",
  INFERLOG_URL: url,
  INFERLOG_API_KEY: apiKey,
  URL: url,
  KEY: apiKey,
  AUTH: `Authorization: Key ${apiKey}`
})

/** What the program prints until it ends. */
const run = (place: Place, command: ReadonlyArray<string>, file: string, program: string) =>
  Effect.promise(async () => {
    const { cwd } = place
    const [name = "", ...args] = command
    fs.writeFileSync(path.join(cwd, file), program)
    const { stdout } = await execute(name, [...args, path.join(cwd, file)], {
      cwd,
      env: environmentOf(place)
    })
    return stdout
  })

/** The first line that the program prints; then it is stopped. */
const firstLine = (place: Place, command: string, file: string, program: string) =>
  Effect.promise(async () => {
    const { cwd } = place
    fs.writeFileSync(path.join(cwd, file), program)
    const child = childProcess.spawn(command, [path.join(cwd, file)], { cwd, env: environmentOf(place) })
    const [line] = await once(readline.createInterface({ input: child.stdout }), "line")
    child.kill()
    return String(line)
  })

const all = (printed: string, parts: ReadonlyArray<string>) => {
  for (const part of parts) assert.include(printed, part)
}

const sameInAll = ["jumps over the lazy dog", "succeeded", "IN_PROGRESS", "COMPLETED", "must be number"]

layer(served, { excludeTestServices: true, timeout: 60_000 })("docs/apps/clients.md", (it) => {
  it.effect("runs with curl", () =>
    Effect.gen(function* () {
      const printed = yield* run(
        yield* Served,
        ["sh", "-e"],
        "clients.sh",
        programOf("docs/apps/clients.md", "sh")
      )
      all(printed, ["jumps over the lazy dog", "event: chunk", "/media/", `"customer":"c-42"`])
    })
  )

  it.effect("runs in TypeScript", () =>
    Effect.gen(function* () {
      const program = programOf("docs/apps/clients.md", "ts")
      const printed = yield* run(yield* Served, [process.execPath], "clients.mts", program)
      all(printed, [...sameInAll, "/media/", "GET 200"])
    })
  )

  it.effect("runs in Python", () =>
    Effect.gen(function* () {
      const program = programOf("docs/apps/clients.md", "python")
      const printed = yield* run(yield* Served, [Python.command], "clients.py", program)
      all(printed, [...sameInAll, "/media/"])
    })
  )

  it.effect("is gone on with by the programs of streams.md", () =>
    Effect.gen(function* () {
      const place = yield* Served
      const submit = new Inferlog({ url: place.url, key: apiKey }).submit("sandbox/slow", { seconds: 600 })
      const { request_id } = yield* Effect.promise(() => submit)
      for (const [language, command, file] of [
        ["ts", process.execPath, "streams.mts"],
        ["python", Python.command, "streams.py"]
      ] as const) {
        const line = yield* firstLine(place, command, file, programOf("docs/apps/streams.md", language))
        assert.match(line, new RegExp(`^\\S+ ${request_id} IN_(QUEUE|PROGRESS)$`))
      }
    })
  )

  it.effect("is begun by README.md in three lines of each language", () =>
    Effect.gen(function* () {
      const place = yield* Served
      for (const [language, command, file] of [
        ["ts", process.execPath, "first.mjs"],
        ["python", Python.command, "first.py"]
      ] as const) {
        const program = programOf("README.md", language)
        assert.lengthOf(program.trim().split("\n"), 3)
        all(yield* run(place, [command], file, filled(program, place.url)), ["jumps over the lazy dog"])
      }
    })
  )
})
