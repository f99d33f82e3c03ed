import { assert, describe, it } from "@effect/vitest"
import * as Misspelled from "#src/composition/settings/Misspelled.ts"

const settings = ["HOST", "PORT", "BLOB_STORE", "DATA_DIR", "OTEL_BSP_SCHEDULE_DELAY"]

describe("Misspelled.find", () => {
  it.each([
    ["BLOB_STROE", "BLOB_STORE"],
    ["BLOB_STOR", "BLOB_STORE"],
    ["BLOBB_STORE", "BLOB_STORE"],
    ["BLOB-STORE", "BLOB_STORE"],
    ["DATA_DIRS", "DATA_DIR"]
  ])("suggests for %s the name %s", (variable, setting) => {
    assert.deepStrictEqual(Misspelled.find([variable], settings), [{ variable, setting }])
  })

  it.each([
    ["a setting itself", "BLOB_STORE"],
    ["two letters away", "BLOB_SHARE"],
    ["a short name", "HOME"],
    ["a short name", "POST"],
    ["letters that are swapped apart", "BLOB_TSOER"],
    ["another name of OpenTelemetry", "OTEL_BLRP_SCHEDULE_DELAY"],
    ["no name", ""]
  ])("ignores %s: %s", (_, variable) => {
    assert.deepStrictEqual(Misspelled.find([variable], settings), [])
  })
})
