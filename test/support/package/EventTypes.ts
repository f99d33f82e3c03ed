/** A program of somebody who builds a read model of their own: TypeScript with the types of the installed package. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import { assert } from "@effect/vitest"
import * as ServerProcess from "#test/support/ServerProcess.ts"

const execFile = promisify(childProcess.execFile)
const fixtures = path.join(import.meta.dirname, "../../fixtures/events")
const tsc = path.join(ServerProcess.root, "node_modules/.bin/tsc")

/** A line of an export for each shape of an event that was ever released. */
const lines = fs.readdirSync(fixtures).flatMap((category) =>
  fs.readdirSync(path.join(fixtures, category)).map((file) => {
    const record = fs.readFileSync(path.join(fixtures, category, file), "utf8").trim()
    return `{ position: "1", stream: "${category}-a", ordinal: 0, id: "a", hash: "h", ...${record} }`
  })
)

const program = `
import type { LogEvent } from "inferlog/events"

export const lines: Array<LogEvent> = [
${lines.join(",\n")}
]

export const spent = (event: LogEvent): bigint =>
  event.type === "RequestCompleted" ? BigInt(event.data.billing.amount) : 0n

// @ts-expect-error There is no such type.
export const other: LogEvent["type"] = "RequestForgotten"
// @ts-expect-error The amount is text.
export const wrong = (event: LogEvent): number => event.type === "BalanceToppedUp" ? event.data.amount : 0
`

export const run = async (folder: string): Promise<void> => {
  fs.writeFileSync(path.join(folder, "read-model.ts"), program)
  const options = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext", "--types", ""]
  const { stdout } = await execFile(tsc, [...options, "read-model.ts"], { cwd: folder }).catch(
    (error: { readonly stdout: string }) => error
  )
  assert.strictEqual(stdout, "")
}
