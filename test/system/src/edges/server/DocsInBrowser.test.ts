/** @first It takes long, so at the end it would run alone. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { Api } from "#src/edges/server/Api.ts"
import { WebhookEvents } from "#src/edges/api/webhooks/WebhookEvents.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import * as Browser from "#test/support/Browser.ts"
import * as TestServer from "#test/support/TestServer.ts"

/** The page has a heading for each group. */
const groups = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<string> => {
  const titles: Array<string> = []
  HttpApi.reflect(api, {
    onGroup: ({ mergedAnnotations }) =>
      void titles.push(Context.getOrUndefined(mergedAnnotations, OpenApi.Title) ?? ""),
    onEndpoint: () => {}
  })
  return titles
}

/** The page has a link to each operation, which shows its method and path, and to each webhook, which shows its title. */
const links = (document: { readonly paths: Methods; readonly webhooks: Methods }): ReadonlyArray<string> => [
  ...Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method}${path}`)
  ),
  ...Object.values(document.webhooks).flatMap((methods) =>
    Object.entries(methods).map(([method, { summary }]) => `${method}${summary}`)
  )
]

type Methods = Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>

/** The reference is a large script, and other tests run at the same time. Timeouts in ms for a page and for a test. */
const longestPage = 60_000
const longestTest = 90_000

/** An empty page and the address of the reference. */
const makePage = Effect.gen(function* () {
  const { port } = yield* TestServer.TestServer
  const page = yield* Browser.openPage({ width: 1280, height: 812 })
  page.setDefaultTimeout(longestPage)
  return { page, origin: `http://127.0.0.1:${port}` }
})

const submitPath = "/{ownerName}/{modelName}"

/** The same for a document with one operation, which a browser renders much sooner than all of them. */
const makeSubmitPage = Effect.gen(function* () {
  const { origin, page } = yield* makePage
  yield* Effect.promise(() =>
    page.route("**/openapi.json", async (route) => {
      const response = await route.fetch()
      const { paths, webhooks: _, ...document } = await response.json()
      await route.fulfill({ response, json: { ...document, paths: { [submitPath]: paths[submitPath] } } })
    })
  )
  return { origin, page }
})

const services = Layer.merge(TestServer.layer(), Browser.layer)

layer(services, { excludeTestServices: true })("/docs in a browser", (it) => {
  it.effect.skipIf(Browser.isMissing)(
    Browser.named(
      "shows every group, operation and webhook, without an error, calls no other server, and fits a phone"
    ),
    () =>
      Effect.gen(function* () {
        const { origin, page } = yield* makePage
        const problems: Array<string> = []
        const titles = [...groups(Api), ...groups(WebhookEvents)]
        const requested: Array<string> = []
        page.on("console", (message) => {
          if (message.type() === "error" || message.type() === "warning") problems.push(message.text())
        })
        page.on("pageerror", (error) => problems.push(error.message))
        page.on("requestfailed", (request) => problems.push(`failed: ${request.url()}`))
        page.on("request", (request) => requested.push(request.url()))

        const { linked, listed } = yield* Effect.promise(async () => {
          const document = page.waitForResponse("**/openapi.json")
          await page.goto(`${origin}/docs`)
          for (const name of titles) await page.getByRole("heading", { name }).first().waitFor()
          // A group that is opened shows its operations whole.
          await page.getByRole("button", { name: "Show all System endpoints" }).click()
          await page.getByRole("heading", { name: "Whether the process accepts" }).first().waitFor()
          return {
            listed: links(await (await document).json()),
            linked: (await page.locator("a").allTextContents()).map((text) => text.trim())
          }
        })
        assert.includeMembers([...titles], ["Requests", "Media"])
        assert.includeMembers([...listed], ["post/{ownerName}/{modelName}", "postA request has ended"])
        assert.includeMembers(linked, [...listed])
        assert.deepStrictEqual(problems, [])
        assert.isAtLeast(requested.length, 3)
        for (const url of requested) assert.match(url, new RegExp(`^(${origin}/|data:)`))
        const scrolled = yield* Effect.promise(async () => {
          await page.setViewportSize({ width: 375, height: 812 })
          await page.getByRole("heading", { name: "Submit a request" }).first().waitFor()
          return page.evaluate<number>("scrollTo(100, 0), scrollX")
        })
        assert.strictEqual(scrolled, 0)
      }).pipe(Effect.scoped),
    longestTest
  )

  it.effect.skipIf(Browser.isMissing)(
    Browser.named("runs the given model, with the given key"),
    () =>
      Effect.gen(function* () {
        const { key } = yield* TestServer.TestServer
        const { origin, page } = yield* makeSubmitPage
        const { body, status, url } = yield* Effect.promise(async () => {
          await page.goto(`${origin}/docs`)
          await page.getByText(`Release ${version}.`).first().waitFor()
          await page.getByPlaceholder("Token").first().fill(key.replace(/^Key /, ""))
          const answer = page.waitForResponse((response) => response.request().method() === "POST")
          await page
            .getByRole("button", { name: /Test Request.*post/i })
            .first()
            .click()
          // The sidebar names the operations. Some begin with the same word.
          await page.getByRole("dialog").getByRole("button", { name: /Send/ }).first().click()
          const found = await answer
          return { url: found.url(), status: found.status(), body: await found.text() }
        })
        assert.deepStrictEqual([url, status], [`${origin}/sandbox/echo`, 200], body)
        assert.include(JSON.parse(body), { status: "IN_QUEUE" })
      }).pipe(Effect.scoped),
    longestTest
  )

  it.effect.skipIf(Browser.isMissing)(
    Browser.named("shows an error when the document cannot be loaded"),
    () =>
      Effect.gen(function* () {
        const { origin, page } = yield* makePage
        yield* Effect.promise(async () => {
          await page.route("**/openapi.json", (route) =>
            route.fulfill({ status: 503, json: { error: "Busy" } })
          )
          await page.goto(`${origin}/docs`)
          await page.getByText("openapi.json did not load").waitFor()
        })
      }).pipe(Effect.scoped),
    longestTest
  )

  it.effect.skipIf(Browser.isMissing)(
    Browser.named("offers requests to its own origin only"),
    () =>
      Effect.gen(function* () {
        const { origin, page } = yield* makeSubmitPage
        const buttons = yield* Effect.promise(async () => {
          await page.goto(`${origin.replace("127.0.0.1", "localhost")}/docs`)
          await page.getByRole("heading", { name: "Submit a request" }).first().waitFor()
          return page.getByRole("button", { name: /Test Request/ }).count()
        })
        assert.strictEqual(buttons, 0)
      }).pipe(Effect.scoped),
    longestTest
  )
})
