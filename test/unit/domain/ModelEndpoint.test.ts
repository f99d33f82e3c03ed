import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { isModelName, isOwnerName, ModelEndpoint } from "#domain/ModelEndpoint.ts"

const isEndpoint = Schema.is(ModelEndpoint)

describe("A model endpoint", () => {
  it("is an owner and a name, each of 1 to 64 lower-case letters, digits, dots, dashes and underscores", () => {
    for (const text of ["sandbox/echo", "0/0", "a.b-c_d/e.f-g_h", `${"a".repeat(64)}/${"b".repeat(64)}`]) {
      assert.isTrue(isEndpoint(text), text)
    }
  })

  it("rejects everything else", () => {
    for (const text of [
      "",
      "/",
      "echo",
      "sandbox/",
      "/echo",
      "sandbox/echo/",
      "sandbox/echo/more",
      "Sandbox/echo",
      "sandbox/Echo",
      ".sandbox/echo",
      "-sandbox/echo",
      "sandbox/../echo",
      "sandbox/..",
      "sandbox/ec ho",
      "sandbox/echo\n",
      "sandbox/écho",
      `${"a".repeat(65)}/echo`,
      `sandbox/${"a".repeat(65)}`
    ]) {
      assert.isFalse(isEndpoint(text), JSON.stringify(text))
    }
  })

  it("has no owner that is the first segment of a route", () => {
    for (const owner of ["requests", "models", "account", "openapi.json", "favicon.ico", "mcp", "health"]) {
      assert.isFalse(isOwnerName(owner), owner)
      assert.isFalse(isEndpoint(`${owner}/echo`), owner)
      assert.isTrue(isModelName(owner), "a model may be called so")
    }
  })
})
