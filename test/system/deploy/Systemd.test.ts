/** The systemd unit, as systemd's own tools rate it. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Programs from "#test/support/deploy/Programs.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const unit = path.join(Programs.deploy, "inferlog.service")
const systemd = Programs.needed(["systemd-analyze"], "systemd")

describe.skipIf(systemd.isMissing)("The systemd unit", () => {
  it(systemd.named("is exposed at most 2.0 of 10"), () => {
    // The threshold counts tenths. The command fails when it is exceeded.
    Programs.run("systemd-analyze", ["security", "--offline=yes", "--threshold=20", "--no-pager", unit])
  })

  it.effect(systemd.named("has no unknown or malformed line"), () =>
    Effect.gen(function* () {
      const copy = path.join(yield* TempDirectory.make, "inferlog.service")
      // systemd-analyze looks for the program, which is not installed here.
      const text = fs.readFileSync(unit, "utf8").replace(/^ExecStart=.*$/m, "ExecStart=/bin/true")
      const withCredential = text.replaceAll(/^#(?=LoadCredential=|Environment=MASTER_KEY_FILE=)/gm, "")
      assert.strictEqual(withCredential.length, text.length - 2)
      fs.writeFileSync(copy, withCredential)
      assert.strictEqual(Programs.run("sh", ["-c", 'systemd-analyze verify "$0" 2>&1', copy]), "")
    })
  )

  it("is not started again after a wrong call or a foreign log", () => {
    assert.match(fs.readFileSync(unit, "utf8"), /^RestartPreventExitStatus=2 3$/m)
  })
})
