/** A node with a local log does not even load the NATS client. */
import * as childProcess from "node:child_process"
import * as util from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const execFile = util.promisify(childProcess.execFile)

/** Imports the module in its argument and prints which parts of the client were loaded. */
const program = `
  import { registerHooks } from "node:module"
  const loaded = []
  registerHooks({
    load: (url, context, next) => {
      if (url.includes("/node_modules/@nats-io/")) loaded.push(url)
      return next(url, context)
    }
  })
  await import(process.argv[1])
  console.log(JSON.stringify(loaded))
`

const loadedBy = (module: string) =>
  Effect.promise(async () => {
    const { stdout } = await execFile(process.execPath, [
      "--input-type=module",
      "--eval",
      program,
      new URL(module, import.meta.url).href
    ])
    return JSON.parse(stdout) as ReadonlyArray<string>
  })

describe("The client of NATS", () => {
  for (const module of [
    "../../../../../src/composition/Server.ts",
    "../../../../../src/cli/log/Log.ts",
    "../../../../../src/cli/audit/Audit.ts"
  ]) {
    it.live(`is not loaded by ${module.replaceAll("../", "")}`, () =>
      Effect.map(loadedBy(module), (loaded) => assert.deepStrictEqual(loaded, []))
    )
  }

  it.live("is loaded by modules that need it", () =>
    Effect.map(loadedBy("../../../../../src/platform/cluster/ClusterFacts.ts"), (loaded) =>
      assert.isNotEmpty(loaded)
    )
  )
})
