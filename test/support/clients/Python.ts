/** The Python of this machine, and how it sees the client of this checkout. */
import * as childProcess from "node:child_process"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../../..")

export const folder = path.join(root, "clients/python")

const find = "import importlib.util as util, sys; print(*filter(util.find_spec, sys.argv[1:]))"

/** Those of the modules that a program has. It loads none of them. */
const modulesOf = (program: string): ReadonlyArray<string> =>
  childProcess
    .spawnSync(program, ["-c", find, "httpx", "mypy", "pytest"], { encoding: "utf8" })
    .stdout?.trim()
    .split(" ") ?? []

/** The system's, whose packages are Debian's, before others. */
const [found] = ["/usr/bin/python3", "python3"]
  .map((command) => ({ command, modules: modulesOf(command) }))
  .filter(({ modules }) => modules.includes("httpx"))

/** One that has what the client needs, if there is one. */
export const command = found?.command ?? "python3"

/** Whether it has what the client needs, and this module. Without, tests are skipped. */
export const has = (module: "httpx" | "mypy" | "pytest"): boolean => found?.modules.includes(module) === true

/** What programs need to see the client, and its tests. */
export const environment = {
  PYTHONPATH: [path.join(folder, "src"), path.join(folder, "tests")].join(path.delimiter)
}
