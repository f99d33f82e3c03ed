/** Plays the behaviour table against each client, so that none of them drifts from the others. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as BehaviourCase from "#test/support/clients/BehaviourCase.ts"
import type { Driver } from "#test/support/clients/Driver.ts"
import * as FaultyServer from "#test/support/clients/FaultyServer.ts"
import * as Judge from "#test/support/clients/Judge.ts"
import * as Python from "#test/support/clients/Python.ts"
import * as PythonDriver from "#test/support/clients/PythonDriver.ts"
import * as TypescriptDriver from "#test/support/clients/TypescriptDriver.ts"

const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1_000_000))

const python = PythonDriver.make()

/** Without Python and its packages, its cases are skipped. */
const isMissing = (driver: Driver) => !Python.has("httpx") && driver !== TypescriptDriver.driver

/** Plays one case after another. Drivers do not wait for each other, because many cases only wait for a time limit. */
const playerOf = (driver: Driver) => {
  let server: Promise<FaultyServer.FaultyServer> | undefined
  let before: Promise<unknown> = Promise.resolve()
  return {
    driver,
    open: () => (server = FaultyServer.make()),
    close: async () => (await server)?.close(),
    play: (one: BehaviourCase.BehaviourCase) => {
      const playing = before.then(async () =>
        server === undefined ? [] : Judge.differences(one, driver, await server, seed)
      )
      before = playing.catch(() => {})
      return playing
    }
  }
}

const players = [TypescriptDriver.driver, ...python.drivers].map(playerOf)

describe(`behaviour of the clients (SEED=${seed})`, () => {
  beforeAll(() => Promise.all(players.map(({ open }) => open())))
  afterAll(() => Promise.all([python.close(), ...players.map(({ close }) => close())]))

  for (const { cases, topic } of BehaviourCase.topics())
    describe(topic, () => {
      for (const one of cases)
        for (const { driver, play } of players)
          if (driver.aborts || one.call.abort === undefined)
            (isMissing(driver) ? it.skip : it.concurrent)(`${driver.name}: ${one.name}`, async () =>
              assert.deepStrictEqual(await play(one), [])
            )
    })
})
