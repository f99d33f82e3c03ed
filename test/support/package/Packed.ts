/** The packed file of this checkout: `npm pack`, once for all tests of a run, because it takes seconds. */
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"

const execFile = promisify(childProcess.execFile)

const root = path.resolve(import.meta.dirname, "../../..")

/** Where `SharedPackage` has made a folder for it. */
export const folderVariable = "INFERLOG_TEST_PACKED"

/** Whether this process is the first of a run, and so the one that packs. */
const begins = (folder: string): boolean => {
  try {
    fs.mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

const pack = async (folder: string) => {
  // The test runner's variables must not reach npm.
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"] }
  await execFile("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: root, env })
}

/** Packs, or waits until another process of the run has packed. */
export const file = async (): Promise<string> => {
  const shared = process.env[folderVariable]
  if (shared === undefined) throw new Error(`expected ${folderVariable} of SharedPackage`)
  const begun = path.join(shared, "begun")
  const ended = path.join(shared, "ended")
  const failed = path.join(shared, "failed")
  if (begins(begun)) {
    await pack(begun).catch((cause: unknown) => fs.writeFileSync(failed, String(cause)))
    fs.mkdirSync(ended)
  }
  while (!fs.existsSync(ended)) await delay(50)
  if (fs.existsSync(failed)) throw new Error(fs.readFileSync(failed, "utf8"))
  const [name = ""] = fs.readdirSync(begun)
  return path.join(begun, name)
}
