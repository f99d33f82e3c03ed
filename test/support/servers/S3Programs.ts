/** The programs of the S3 server for tests. If one is missing, tests are skipped, except in CI. */
import * as childProcess from "node:child_process"

const programs = ["radosgw", "ceph-mon", "ceph-osd"]

const missing = programs.filter(
  (program) => childProcess.spawnSync(program, ["--version"], { stdio: "ignore" }).error !== undefined
)

export const isMissing = missing.length > 0 && process.env["CI"] === undefined

/** What is missing and how to install it; empty if nothing is missing. */
const whyNot =
  missing.length === 0
    ? ""
    : ` (needs ${missing.join(", ")}: apt-get install --no-install-recommends ${programs.join(" ")})`

/** The name of a test that needs them. A skipped test's name says why and how to install them. */
export const named = (name: string): string => `${name}${whyNot}`
