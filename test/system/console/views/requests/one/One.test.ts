/**
 * One request: its timeline, time travel, and what can be done with it.
 * @together test/support/console/Shared.ts
 */
import { assert } from "vitest"
import { caller, submit, until } from "#test/support/console/Calls.ts"
import { consoleTest } from "#test/support/console/ConsoleTest.ts"

consoleTest(
  "a slider shows the state after each event, and an event opens to its hash",
  async ({ open, world }) => {
    const page = await open("ada", `/requests/${world.requests.retried}`)
    const slider = page.getByRole("slider", { name: "State after event" })
    await slider.waitFor()
    const facts = page.locator("dl").filter({ hasText: "Phase" })
    await facts.getByText("Completed").waitFor()
    await slider.focus()
    await page.keyboard.press("Home")
    await facts.getByText("waiting for a run").waitFor()
    await page.keyboard.press("ArrowRight")
    await facts.getByText("was waiting for a run").waitFor()
    await page.waitForURL(/event=/)

    const events = page.getByRole("list", { name: "Events" })
    const requeued = events.getByRole("listitem").filter({ hasText: "Back in the queue" })
    assert.strictEqual(await requeued.count(), 2)
    await requeued.first().getByText("Back in the queue").click()
    await requeued.first().getByText("transport_error").waitFor()
    await requeued.first().getByRole("button", { name: "Copy hash", exact: true }).waitFor()

    // The address names the event.
    await page.reload()
    await page
      .getByText(/of \d+: Back in the queue/)
      .first()
      .waitFor()
  }
)

consoleTest("a running request is followed, and cancelled after a question", async ({ open, world }) => {
  const ada = caller(world.origin, world.keys.ada)
  const id = await until(ada, await submit(ada, "sandbox/slow", { seconds: 60 }), "IN_PROGRESS")
  const page = await open("ada", `/requests/${id}`)
  await page.getByRole("log").getByText("2 of 60 seconds").waitFor()
  await page.getByRole("button", { name: "Cancel request" }).click()
  const question = page.getByRole("alertdialog")
  await question.getByRole("button", { name: "Cancel request" }).click()
  await page.getByText("Nothing was charged.").waitFor()
  await page.getByRole("list", { name: "Events" }).getByText("Cancelled, on request").waitFor()
  assert.strictEqual(await page.getByRole("button", { name: "Cancel request" }).count(), 0)
})

consoleTest(
  "a request is run again at a price that is told, and erased only after a word is typed",
  async ({ open, world }) => {
    const ada = caller(world.origin, world.keys.ada)
    const id = await until(ada, await submit(ada, "sandbox/echo", { value: "once more" }), "COMPLETED")
    const page = await open("ada", `/requests/${id}`)
    await page.getByRole("button", { name: "Run again" }).click()
    const again = page.getByRole("alertdialog")
    await again.getByText("$0.001").waitFor()
    await again.getByRole("button", { name: "Run again" }).click()
    await page.waitForURL((url) => url.pathname.includes("/requests/") && !url.pathname.endsWith(id))
    await page.getByRole("status").getByText("Completed").waitFor()

    await page.getByRole("button", { name: "Erase payloads" }).click()
    const erase = page.getByRole("alertdialog")
    assert.isTrue(await erase.getByRole("button", { name: "Erase payloads" }).isDisabled())
    await erase.getByRole("textbox").fill("erase")
    await erase.getByRole("button", { name: "Erase payloads" }).click()
    await page
      .getByRole("list", { name: "Events" })
      .getByText("Input and output erased, on request")
      .waitFor()
    assert.strictEqual(await page.getByText("once more").count(), 0)
  }
)

consoleTest("what the key may not do is refused with the reason", async ({ open, world }) => {
  const page = await open("reader", `/requests/${world.requests.succeeded}`)
  const again = page.getByRole("button", { name: "Run again" })
  assert.strictEqual(await again.getAttribute("aria-disabled"), "true")
  await again.focus()
  await page.getByRole("tooltip").getByText("requests:write").waitFor()
})

consoleTest("a request that has failed says why, and what to do", async ({ open, world }) => {
  const page = await open("ada", `/requests/${world.requests.failed}`)
  await page.getByRole("alert").getByText("The picture is empty").waitFor()
  await page.getByRole("alert").getByText("Check the input").waitFor()
})

consoleTest(
  "a failure shows what the provider answered, on its page and in the playground",
  async ({ open, world }) => {
    const id = world.requests.refused
    const page = await open("ada", "/")
    // No model of the sandbox fails with a code of its provider.
    const upstream = { status: 400, code: "voice_unknown", param: "voice" }
    await page.route(
      ({ pathname }) => pathname === `/console/api/requests/${id}`,
      async (route) => {
        const response = await route.fetch()
        const found: object = await response.json()
        await route.fulfill({ response, json: { ...found, details: { code: "REQUEST_FAILED", upstream } } })
      }
    )
    for (const path of [`/requests/${id}`, `/models/sandbox/fail?request=${id}`]) {
      await page.goto(`${world.origin}/console${path}`)
      const alert = page.getByRole("alert")
      await alert.getByText("No such voice").waitFor()
      await alert
        .getByText("The provider answered with status 400, code voice_unknown, parameter voice.")
        .waitFor()
      await alert.getByText("Nothing was charged.").waitFor()
    }
  }
)
