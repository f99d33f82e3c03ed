import * as fs from "node:fs"
import { assert, it } from "@effect/vitest"

it.skipIf(process.platform === "win32")(
  "The program is executable, as npx requires (skipped on Windows, which has no such bit)",
  () => {
    const { mode } = fs.statSync(new URL("../../../../bin/inferlog.js", import.meta.url))
    assert.strictEqual(mode & 0o111, 0o111)
  }
)
