/**
 * The programs that the playground shows, run against the server.
 * @together test/support/console/Shared.ts
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { assert, describe, inject, test } from "vitest"
import * as CodeSamples from "#console/views/models/code/CodeSamples.ts"
import { isMissing, named } from "#test/support/Browser.ts"

const run = promisify(execFile)

/** Everything that a shell or a language could take for its own. */
const value = {
  text: `it's "$HOME" \`id\` \\n \\ $(id) 'x' %s {{x}} \${y}`,
  lines: "one\ntwo\r\n\ttab\u2028\u0000",
  picture: "🌊 灯台",
  numbers: [0, -1.5, 1e21, 1e-7],
  "a key": { true: true, false: false, null: null, empty: {}, list: [] }
}

const commands: Readonly<Record<CodeSamples.Language, readonly [file: string, program: string]>> = {
  curl: ["call.sh", "sh"],
  typescript: ["call.mts", process.execPath],
  python: ["call.py", "python3"]
}

describe("the same call", () => {
  for (const { id, label } of CodeSamples.languages) {
    test.skipIf(isMissing)(named(`sends any input as it is, in ${label}`), async () => {
      const world = inject("console")
      if (world === null) throw new Error("There is no server")
      const directory = fs.mkdtempSync(path.join(os.tmpdir(), "inferlog-code-"))
      const [file, program] = commands[id]
      const text = CodeSamples.of(id, { queueUrl: world.origin, model: "sandbox/echo", input: { value } })
      assert.notInclude(text, world.keys.ada)
      fs.writeFileSync(path.join(directory, file), text)
      const env = { ...process.env, [CodeSamples.keyVariable]: world.keys.ada }
      const { stdout } = await run(program, [file], { cwd: directory, env }).finally(() =>
        fs.rmSync(directory, { recursive: true })
      )
      const answer: { readonly output?: unknown } = JSON.parse(stdout)
      const output = id === "curl" ? answer.output : answer
      assert.deepStrictEqual(output, { value })
    })
  }

  test("reads a large input from a file", () => {
    const large = { queueUrl: "https://queue.example", model: "a/b", input: { image: "x".repeat(200_000) } }
    for (const { id } of CodeSamples.languages) {
      const text = CodeSamples.of(id, large)
      assert.include(text, CodeSamples.inputFile)
      assert.isBelow(text.length, 2_000)
    }
  })
})
