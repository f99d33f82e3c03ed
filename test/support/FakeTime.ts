/** A wall clock of one process that can be set while it runs, by libfaketime (Debian: `faketime`). Its monotonic clock goes on. */
import * as fs from "node:fs"
import * as path from "node:path"

const name = "libfaketimeMT.so.1"

const folders = (): ReadonlyArray<string> => {
  const multiarch = fs.existsSync("/usr/lib") ? fs.readdirSync("/usr/lib") : []
  return [
    ...multiarch.map((folder) => `/usr/lib/${folder}/faketime`),
    "/usr/lib/faketime",
    "/usr/local/lib/faketime"
  ]
}

/** Where the library is; `undefined` where it is not installed. */
export const library: string | undefined = folders()
  .map((folder) => path.join(folder, name))
  .find((file) => fs.existsSync(file))

export interface FakeTime {
  /** For the process. */
  readonly env: Readonly<Record<string, string>>
  /** Sets the clock of running processes to so much ahead of the true one, or behind it: `+6h`, `-6h`, `+0`. */
  readonly set: (offset: string) => void
}

/** @param folder a folder of the test's own. */
export const make = (folder: string): FakeTime => {
  const file = path.join(folder, "faketime")
  const set = (offset: string) => {
    // Whole at any moment: the process reads it each time it looks at its clock.
    fs.writeFileSync(`${file}.new`, `${offset}\n`)
    fs.renameSync(`${file}.new`, file)
  }
  set("+0")
  return {
    env: {
      ...(library !== undefined && { LD_PRELOAD: library }),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      DONT_FAKE_MONOTONIC: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1"
    },
    set
  }
}
