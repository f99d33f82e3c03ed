/** @together test/support/console/Shared.ts */
import { assert } from "vitest"
import * as BalanceCheck from "#console/views/audit/balance/BalanceCheck.ts"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"
import type { World } from "#test/support/console/World.ts"

consoleTest(
  "an auditor verifies the log, proves a balance, and has nothing to change",
  async ({ open, world }) => {
    const page = await open("auditor", "/operate/audit/log")
    await page.getByRole("button", { name: "Verify the log" }).click()
    await page.getByText("The log is intact").waitFor()
    await page
      .getByRole("link", { name: /^Compare with the anchor/ })
      .first()
      .click()
    const anchor = page.getByLabel("Compare with an earlier anchor")
    assert.match(await anchor.inputValue(), /^\d+:[\w-]{43}$/)
    await anchor.fill(`1:${"A".repeat(43)}`)
    await page.getByRole("button", { name: "Verify the log" }).click()
    await page.getByText("The log is not what was written").waitFor()

    await page.getByRole("link", { name: "Proof of a balance" }).click()
    await page.getByLabel("Account id").fill(world.accountId)
    await page.getByRole("button", { name: "Prove the balance" }).click()
    await page.getByText("The balance follows from the log").waitFor()
    assert.match(await page.getByText("Your browser has hashed").innerText(), /hashed \d+ events again/)
    await page
      .getByRole("button", { expanded: false, name: /RequestCompleted/ })
      .first()
      .click()
    await page.getByRole("table", { name: "Entries of the event" }).waitFor()

    assert.strictEqual(await page.getByRole("link", { name: "Operators" }).count(), 0)
    await page.goto(`${world.origin}/console/operate/operators`)
    await page.getByText("You cannot see this").waitFor()
    assert.strictEqual(await page.getByRole("button", { name: "Create operator" }).count(), 0)
  }
)

consoleTest("keys lead to views, are listed at ?, and are text in a field", async ({ open }) => {
  const page = await open("auditor", "/operate/audit/books")
  await page.keyboard.press("g")
  await page.keyboard.press("j")
  await page.getByRole("heading", { level: 1, name: "Journal" }).waitFor()
  await page.keyboard.press("/")
  const type = page.getByLabel("Type")
  await page.keyboard.type("?g")
  assert.strictEqual(await type.inputValue(), "?g")
  await type.fill("")
  await type.blur()
  await page.keyboard.press("?")
  const list = page.getByRole("dialog", { name: "Keyboard shortcuts" })
  await list.getByText("Go to the books").waitFor()
  await list.getByText("Use single keys as shortcuts").click()
  await page.keyboard.press("Escape")
  await list.waitFor({ state: "detached" })
  await page.keyboard.press("?")
  await page.keyboard.press("g")
  await page.keyboard.press("b")
  assert.strictEqual(await list.count(), 0)
  await page.getByRole("heading", { level: 1, name: "Journal" }).waitFor()
})

/** The events of the proof of Ada's balance. */
const proofOf = async ({ accountId, keys, origin }: World) => {
  const response = await fetch(`${origin}/admin/v1/accounts/${accountId}/balance/proof`, {
    headers: { authorization: `Key ${keys.auditor}` }
  })
  const lines = (await response.text()).trim().split("\n")
  return lines.map((line) => JSON.parse(line)).filter(({ type }) => type === "event")
}

/** What the browser finds wrong first. */
const problemOf = async (events: ReadonlyArray<BalanceCheck.ProofEvent>) => {
  const check = BalanceCheck.make(true)
  for (const event of events) {
    const { problem } = await check.pass(event)
    if (problem !== null) return problem
  }
  return null
}

consoleTest("the browser finds changed data and wrong sums in the proof of a balance", async ({ world }) => {
  const events: ReadonlyArray<BalanceCheck.ProofEvent> = await proofOf(world)
  assert.isAbove(events.length, 5)
  assert.isNull(await problemOf(events))
  const [first, ...rest] = events
  if (first === undefined) return assert.fail("no event")
  const text = first.text.replace('"reference":"', '"reference":"x')
  assert.notStrictEqual(text, first.text)
  assert.include(await problemOf([{ ...first, text }, ...rest]), "is not that of its data")
  const available = `${first.available}1`
  assert.include(await problemOf([{ ...first, available }, ...rest]), "add up to another balance")
})
