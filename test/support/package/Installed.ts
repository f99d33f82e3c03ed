/** The packed program, installed into an empty folder as an operator does it. */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"
import * as Packed from "./Packed.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"

const execFile = promisify(childProcess.execFile)

/** ms. npm may download what it installs, on a machine that is busy. */
export const patienceMs = 400_000

/** The test runner's variables must not reach npm or the program. */
const environment = (env: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  ...env
})

export interface Installed {
  readonly folder: string
  readonly remove: () => void
}

/** The registry cannot be reached, and what is needed is not in npm's cache. */
const unreachable = /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH/

/** Packs and installs; or says why the packages cannot be had on this machine. In CI that is a failure. */
export const install = async (): Promise<Installed | string> => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "inferlog-package-"))
  const remove = () => fs.rmSync(folder, { recursive: true, force: true })
  try {
    const file = await Packed.file()
    const flags = ["--omit=dev", "--prefer-offline", "--no-audit", "--no-fund"]
    await execFile("npm", ["install", file, ...flags], { cwd: folder, env: environment() })
    const missing = ["sharp", "tesseract.js"].filter(
      (name) => !fs.existsSync(`${folder}/node_modules/${name}`)
    )
    // npm goes on without an optional package that it cannot download.
    if (missing.length > 0) throw new Error(`ENOTFOUND: npm did not install ${missing.join(", ")}`)
    return { folder, remove }
  } catch (cause) {
    remove()
    const text = String(cause)
    if (process.env["CI"] === undefined && unreachable.test(text)) return "the npm registry cannot be reached"
    throw cause
  }
}

/** Output and exit code of a command of the installed program, run by a Node. */
export const run = async (
  { folder }: Installed,
  node: string,
  args: ReadonlyArray<string>,
  env?: Readonly<Record<string, string>>
) => {
  const child = childProcess.spawn(node, ["node_modules/inferlog/bin/inferlog.js", ...args], {
    cwd: folder,
    env: environment(env),
    stdio: ["ignore", "pipe", "pipe"]
  })
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (chunk) => (stdout += chunk))
  child.stderr.on("data", (chunk) => (stderr += chunk))
  const [code] = await once(child, "close")
  return { code, stdout, stderr }
}

export interface Served {
  readonly url: string
  readonly output: () => string
  /** Sends SIGTERM and returns the exit code. */
  readonly stop: () => Promise<number | null>
  /** Ends it as a power cut would. */
  readonly kill: () => Promise<number | null>
}

/** Starts `inferlog serve` with a Node on a folder of the install, and waits for `/health`. */
export const serve = async ({ folder }: Installed, node: string, data = "data"): Promise<Served> => {
  const port = await ServerProcess.freePort()
  const child = childProcess.spawn(node, ["node_modules/inferlog/bin/inferlog.js", "serve"], {
    cwd: folder,
    env: environment({
      DATA_DIR: `${folder}/${data}`,
      HOST: "127.0.0.1",
      PORT: String(port),
      BOOTSTRAP_API_KEY: ServerProcess.apiKey,
      BOOTSTRAP_BALANCE: "10"
    }),
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk))
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve))
  const url = `http://127.0.0.1:${port}`
  const isHealthy = () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false
    )
  while (!(await isHealthy())) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}:\n${output}`)
    await delay(50)
  }
  const end = (signal: NodeJS.Signals) => () => {
    child.kill(signal)
    return exited
  }
  return { url, output: () => output, stop: end("SIGTERM"), kill: end("SIGKILL") }
}
