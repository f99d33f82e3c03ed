/** Programs for tests of what `deploy` has. If one is missing, its tests are skipped, except in CI. */
import * as childProcess from "node:child_process"
import * as path from "node:path"

/** The folder `deploy` of the checkout. */
export const deploy = path.resolve(import.meta.dirname, "../../../deploy")

export interface Programs {
  /** Whether to skip: one of them is missing, and this is not CI. */
  readonly isMissing: boolean
  /** The name of a test that needs them. A skipped test's name says why and how to install them. */
  readonly named: (name: string) => string
}

/** @param packages the Debian packages that have them. */
export const needed = (programs: ReadonlyArray<string>, packages: string): Programs => {
  const missing = programs.filter(
    (program) =>
      childProcess.spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status !== 0
  )
  const why = `needs ${missing.join(", ")}: apt-get install --no-install-recommends ${packages}`
  return {
    isMissing: missing.length > 0 && process.env["CI"] === undefined,
    named: (name) => (missing.length === 0 ? name : `${name} (${why})`)
  }
}

/**
 * Runs a program to its end. Fails with what it printed when it fails or takes too long: `limitMs` must be below the time limit of the
 * test.
 */
export const run = (
  program: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  limitMs = 170_000
) => {
  const { error, status, stderr, stdout } = childProcess.spawnSync(program, args, {
    encoding: "utf8",
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
    timeout: limitMs
  })
  if (error !== undefined || status !== 0) {
    const end = error === undefined ? `ended with ${status}` : error.message
    throw new Error(`${program} ${args.join(" ")}: ${end}\n${stdout}${stderr}`)
  }
  return stdout
}
