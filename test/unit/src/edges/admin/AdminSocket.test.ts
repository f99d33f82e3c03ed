import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as AdminSocket from "#src/edges/admin/AdminSocket.ts"

const deep = path.join("/", ...Array.from({ length: 20 }, () => "directory"))

describe.skipIf(process.platform === "win32")(
  "AdminSocket.pathIn (skipped on Windows, which has no sockets in directories)",
  () => {
    it("is the shorter of the absolute and the relative path", () => {
      assert.deepStrictEqual(
        AdminSocket.pathIn("/srv/data", "/home/someone"),
        Option.some("/srv/data/admin.sock")
      )
      assert.deepStrictEqual(AdminSocket.pathIn(`${deep}/data`, deep), Option.some("data/admin.sock"))
    })

    it("counts bytes, and is absent beyond the limit of every system", () => {
      const ascii = `/${"a".repeat(100 - "//admin.sock".length)}`
      assert.deepStrictEqual(AdminSocket.pathIn(ascii, deep), Option.some(`${ascii}/admin.sock`))
      assert.deepStrictEqual(AdminSocket.pathIn(`${ascii}a`, deep), Option.none())
      assert.deepStrictEqual(
        AdminSocket.pathIn(ascii.replace("/aa", "/é"), deep),
        Option.some(`${ascii.replace("/aa", "/é")}/admin.sock`)
      )
      assert.deepStrictEqual(AdminSocket.pathIn(ascii.replace("/a", "/é"), deep), Option.none())
    })
  }
)
