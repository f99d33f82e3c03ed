import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as LogHead from "#streams/LogHead.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const slotBytes = 128

const head = (sequence: number): LogHead.Head => ({ sequence, digest: `digest-of-${sequence}` })

const inFile = <A>(use: (filename: string) => A | Promise<A>) =>
  Effect.flatMap(TempDirectory.make, (directory) => Effect.promise(async () => use(`${directory}/log.head`)))

const write = (filename: string, ...heads: ReadonlyArray<LogHead.Head>) => {
  const file = LogHead.open(filename)
  for (const one of heads) file.write(one)
  file.close()
}

/** Overwrites `length` bytes from `start` with bytes that are no slot. */
const damage = (filename: string, start: number, length: number) => {
  const bytes = fs.readFileSync(filename)
  fs.writeFileSync(filename, bytes.fill("?", start, start + length))
}

describe("log.head", () => {
  it.live("is empty before the first write", () =>
    inFile((filename) => {
      assert.isUndefined(LogHead.read(filename))
    })
  )

  it.live("is rejected if it is empty or shorter than a slot", () =>
    inFile((filename) => {
      write(filename, head(12))
      const whole = fs.readFileSync(filename)
      for (const bytes of [0, 1, 16]) {
        fs.writeFileSync(filename, whole.subarray(0, bytes))
        assert.throws(() => LogHead.slots(filename), LogHead.Damaged, undefined, `${bytes} bytes`)
        assert.throws(() => LogHead.open(filename), LogHead.Damaged, undefined, `${bytes} bytes`)
      }
    })
  )

  it.live("returns the last write, also after it was reopened", () =>
    inFile((filename) => {
      write(filename, { sequence: 0, digest: "" })
      assert.deepStrictEqual(LogHead.read(filename), { sequence: 0, digest: "" })
      for (let sequence = 1; sequence < 20; sequence += 3) {
        write(filename, head(sequence), head(sequence + 1), head(sequence + 2))
        assert.deepStrictEqual(LogHead.read(filename), head(sequence + 2))
        write(filename, head(sequence + 2))
        assert.deepStrictEqual(LogHead.read(filename), head(sequence + 2))
      }
      assert.strictEqual(fs.statSync(filename).size, 2 * slotBytes)
    })
  )

  it.live("returns the previous write after a write that was torn at any byte", () =>
    inFile((filename) => {
      write(filename, head(1), head(2))
      const before = fs.readFileSync(filename)
      write(filename, head(3))
      const after = fs.readFileSync(filename)
      for (let torn = 0; torn <= slotBytes; torn++) {
        fs.writeFileSync(filename, Buffer.concat([after.subarray(0, torn), before.subarray(torn)]))
        const found = LogHead.read(filename)?.sequence
        assert.isTrue(found === 2 || found === 3, `torn at ${torn}`)
      }
    })
  )

  it.live("survives damage to the older slot, and falls back to it if the newer is damaged", () =>
    inFile((filename) => {
      write(filename, head(1), head(2))
      damage(filename, 0, 10)
      assert.deepStrictEqual(LogHead.read(filename), head(2))
      fs.rmSync(filename)
      write(filename, head(1), head(2))
      damage(filename, slotBytes, 10)
      assert.deepStrictEqual(LogHead.read(filename), head(1))
    })
  )

  it.live("rejects a file whose only slot has a changed character", () =>
    inFile((filename) => {
      write(filename, head(12))
      const whole = fs.readFileSync(filename)
      const length = whole.toString().trimEnd().length
      for (let index = 0; index < length; index++) {
        const altered = Buffer.from(whole)
        altered[index] = (whole[index] ?? 0) ^ 1
        fs.writeFileSync(filename, altered)
        assert.throws(() => LogHead.read(filename), /is damaged/, `at ${index}`)
      }
    })
  )

  it.live("overwrites the damaged or older slot, never the only intact one", () =>
    inFile((filename) => {
      for (const start of [0, slotBytes]) {
        fs.rmSync(filename, { force: true })
        write(filename, head(1), head(2))
        damage(filename, start, 10)
        const good = LogHead.read(filename)
        write(filename, head(3))
        assert.deepStrictEqual(LogHead.read(filename), head(3))
        damage(filename, start, 10)
        assert.deepStrictEqual(LogHead.read(filename), good)
      }
    })
  )

  it.live("needs a sync after a write since the last one", () =>
    inFile(async (filename) => {
      const file = LogHead.open(filename)
      assert.isFalse(file.isDirty())
      file.write(head(1))
      assert.isFalse(file.isDirty(), "the first write is synced")
      file.write(head(2))
      assert.isTrue(file.isDirty())
      await file.sync()
      assert.isFalse(file.isDirty())
      file.close()
    })
  )
})
