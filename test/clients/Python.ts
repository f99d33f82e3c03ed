/** The Python of this machine that has what the client needs. */
import * as childProcess from "node:child_process"
import * as path from "node:path"

const has = (command: string) =>
  childProcess.spawnSync(command, ["-c", "import httpx"], { stdio: "ignore" }).status === 0

/** The system's, whose packages are Debian's, before others. */
export const command = ["/usr/bin/python3", "python3"].find(has) ?? "python3"

/** Shared by all that check with the client's options, because it takes long to read the client and its packages. */
export const mypyCache = path.resolve(import.meta.dirname, "../../node_modules/.cache/mypy")
