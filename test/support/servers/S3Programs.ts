/** The programs of the S3 server that tests run. Where one is missing they are skipped, but never in CI. */
import * as childProcess from "node:child_process"

const programs = ["radosgw", "ceph-mon", "ceph-osd"]

const missing = programs.filter(
  (program) => childProcess.spawnSync(program, ["--version"], { stdio: "ignore" }).error !== undefined
)

export const isMissing = missing.length > 0 && process.env["CI"] === undefined

/** What is missing and the command that brings it; empty where nothing is. */
const whyNot =
  missing.length === 0
    ? ""
    : ` (needs ${missing.join(", ")}: apt-get install --no-install-recommends ${programs.join(" ")})`

/** The name of a test that needs them: where it is skipped the name says why, and what to do about it. */
export const named = (name: string): string => `${name}${whyNot}`
