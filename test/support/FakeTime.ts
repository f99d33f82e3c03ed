/**
 * The wall clock of one process, set while it runs by libfaketime (Debian: `faketime`). Its monotonic clock
 * continues.
 */
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

/** The path of the library; `undefined` if it is not installed. */
export const library: string | undefined = folders()
  .map((folder) => path.join(folder, name))
  .find((file) => fs.existsSync(file))

export interface FakeTime {
  /** The environment of the process. */
  readonly env: Readonly<Record<string, string>>
  /** Sets the clock of running processes relative to the true time: `+6h`, `-6h`, `+0`. */
  readonly set: (offset: string) => void
}

/** @param folder a scratch folder of the test. */
export const make = (folder: string): FakeTime => {
  const file = path.join(folder, "faketime")
  const set = (offset: string) => {
    // Replaced atomically, because the process reads it at every look at its clock.
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
