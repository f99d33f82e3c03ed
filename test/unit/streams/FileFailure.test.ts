import * as os from "node:os"
import { assert, describe, it } from "@effect/vitest"
import * as FileFailure from "#streams/FileFailure.ts"

describe("A failure of a file", () => {
  it.each(["ENOSPC", "EDQUOT", "EFBIG"] as const)("with %s reports a full disk", (name) => {
    // Node has no code for some of them, but always the number.
    const unnamed = Object.assign(new Error(), {
      errno: -os.constants.errno[name],
      code: "UNKNOWN"
    })
    assert.isTrue(FileFailure.ofNode("write a blob", unnamed).isFull)
  })

  it("with another errno does not", () => {
    const broken = Object.assign(new Error(), { errno: -os.constants.errno.EIO, code: "EIO" })
    const { isFull, reason } = FileFailure.ofNode("write a blob", broken)
    assert.deepStrictEqual([isFull, reason], [undefined, "could not write a blob: EIO"])
  })
})
