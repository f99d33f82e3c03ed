import { assert, describe, it } from "@effect/vitest"
import * as TestCosts from "#tools/TestCosts.ts"

const recorded = (file: string, own: number, children: number) => ({ file, own, children, wall: 9 })

describe("The costs of test files", () => {
  it("are the CPU of the process and of its children, summed up by file", () => {
    const sums = TestCosts.sums(
      [recorded("/root/test/a.ts", 1, 2), recorded("/root/test/a.ts", 0.5, 0), recorded("/root/b.ts", 4, 0)],
      "/root"
    )
    assert.deepStrictEqual(
      [...sums],
      [
        ["test/a.ts", 3.5],
        ["b.ts", 4]
      ]
    )
  })

  it("stand beside those of before, dearest first, and stay where a file was not run", () => {
    const rows = TestCosts.merge(
      [
        { file: "kept", before: 1, now: 2 },
        { file: "gone", before: 3, now: 3 },
        { file: "run", before: 5, now: 5 }
      ],
      new Map([
        ["run", 1],
        ["new", 4]
      ]),
      (file) => file !== "gone"
    )
    assert.deepStrictEqual(rows, [
      { file: "new", before: null, now: 4 },
      { file: "kept", before: 1, now: 2 },
      { file: "run", before: 5, now: 1 },
      { file: "gone", before: 3, now: null }
    ])
  })

  it("are read as they were written", () => {
    const rows = [
      { file: "test/unit/a.test.ts", before: null, now: 0.5 },
      { file: "test/unit/b.test.ts", before: 1.5, now: null }
    ]
    assert.deepStrictEqual(TestCosts.decode(TestCosts.encode(rows)), rows)
  })
})
