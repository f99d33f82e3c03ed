/** Plays the behaviour table against each client, so that none of them drifts from the others. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as BehaviourCase from "#test/support/clients/BehaviourCase.ts"
import type { Driver } from "#test/support/clients/Driver.ts"
import * as FaultyServer from "#test/support/clients/FaultyServer.ts"
import * as Judge from "#test/support/clients/Judge.ts"
import * as PythonDriver from "#test/support/clients/PythonDriver.ts"
import * as TypescriptDriver from "#test/support/clients/TypescriptDriver.ts"

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1_000_000))

const python = PythonDriver.make()
const drivers: ReadonlyArray<Driver> = [
  TypescriptDriver.driver,
  ...(PythonDriver.python === undefined ? [] : python.drivers)
]

describe(`behaviour of the clients (SEED=${seed})`, () => {
  let server: FaultyServer.FaultyServer
  beforeAll(async () => {
    server = await FaultyServer.make()
  })
  afterAll(async () => {
    await python.close()
    await server.close()
  })

  for (const { cases, topic } of BehaviourCase.topics()) {
    describe(topic, () => {
      for (const one of cases)
        for (const driver of drivers)
          if (driver.aborts || one.call.abort === undefined)
            it.skipIf(!driver.has(one.call.do))(`${driver.name}: ${one.name}`, async () => {
              assert.deepStrictEqual(await Judge.differences(one, driver, server, seed), [])
            })
    })
  }
})
