/** The package as users install it: packed from the checkout, and installed from that file into an empty folder. */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as readline from "node:readline"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as Programs from "./Programs.ts"

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A server and the processes it started. */
export interface Service {
  readonly url: string
  /** Ends all of its processes, and waits for it. Resolves to its exit code. */
  readonly kill: (signal: NodeJS.Signals) => Promise<number | null>
}

export interface InstalledPackage {
  readonly folder: string
  readonly run: (args: ReadonlyArray<string>, settings?: Readonly<Record<string, string>>) => Promise<Ended>
  readonly serve: (settings: Readonly<Record<string, string>>) => Promise<Service>
  readonly remove: () => void
}

/** Why packages cannot be installed, or `null`. In CI they always can. */
export const reasonToSkip = (): string | null => {
  if (process.env["CI"] !== undefined) return null
  const { status } = childProcess.spawnSync("npm", ["ping", "--fetch-timeout=5000", "--fetch-retries=0"], {
    stdio: "ignore"
  })
  return status === 0 ? null : "needs npm's registry, which does not answer 'npm ping'"
}

/** The programs of the system alone: not the Node in the checkout's packages. */
const systemPath = (process.env["PATH"] ?? "")
  .split(path.delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(path.delimiter)

const serving = async (
  program: string,
  settings: Readonly<Record<string, string>>,
  cwd: string
): Promise<Service> => {
  const port = await ServerProcess.freePort()
  // A group of its own: the program may run in a child, with the Node that came with the package.
  const child = childProcess.spawn(program, ["serve"], {
    cwd,
    env: { PATH: systemPath, PORT: String(port), BOOTSTRAP_API_KEY: ServerProcess.apiKey, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true
  })
  const ended = once(child, "exit").then(([code]) => code as number | null)
  const lines: Array<string> = []
  await new Promise<void>((resolve, reject) => {
    for (const input of [child.stdout, child.stderr]) {
      readline.createInterface({ input }).on("line", (line) => {
        lines.push(line)
        if (line.includes(" serves at ")) resolve()
      })
    }
    void ended.then((code) => reject(new Error(`The server ended with ${code}:\n${lines.join("\n")}`)))
  })
  const kill = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      // Only SIGKILL must reach the whole group: the program passes on all others.
      process.kill(signal === "SIGKILL" ? -child.pid : child.pid, signal)
    }
    return ended
  }
  return { url: `http://127.0.0.1:${port}`, kill }
}

export const install = (): InstalledPackage => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "inferlog-test-"))
  const folder = path.join(root, "app")
  fs.mkdirSync(folder)
  Programs.run("npm", ["pack", "--silent", "--pack-destination", root])
  const packed = fs.readdirSync(root).find((name) => name.endsWith(".tgz")) ?? ""
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--prefix", folder]
  Programs.run("npm", ["install", ...options, path.join(root, packed)])
  const program = path.join(folder, "node_modules/.bin/inferlog")
  return {
    folder,
    run: async (args, settings = {}) => {
      const child = childProcess.spawn(program, args, {
        cwd: folder,
        env: { PATH: systemPath, ...settings },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let stdout = ""
      let stderr = ""
      child.stdout.on("data", (chunk) => (stdout += String(chunk)))
      child.stderr.on("data", (chunk) => (stderr += String(chunk)))
      const [code] = (await once(child, "close")) as [number | null]
      return { code, stdout, stderr }
    },
    serve: (settings) => serving(program, settings, folder),
    remove: () => fs.rmSync(root, { recursive: true, force: true })
  }
}
