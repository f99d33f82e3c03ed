/**
 * The examples in the README of the package `replicate`, by their headings, against a real server: only URL and key are changed, and the
 * ids of versions.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import Replicate, { type FileOutput, type Prediction, validateWebhook } from "replicate"
import * as Until from "#test/support/Until.ts"
import { apiKey } from "#test/support/ServerProcess.ts"
import { png, poem, ReplicateServer } from "#test/support/src/edges/replicate/ReplicateServer.ts"

type Server = ReplicateServer["Service"]

const prompt = "a 19th century portrait of a raccoon gentleman wearing a suit"

const versionOf = async ({ replicate }: Server, model: string) => {
  const [owner = "", name = ""] = model.split("/")
  const { latest_version } = await replicate.models.get(owner, name)
  return latest_version?.id ?? ""
}

const pathOf = (picture: FileOutput) => picture.url().pathname

const examples: Readonly<Record<string, (server: Server) => Promise<void>>> = {
  "Usage: run a model and await the result": async (server) => {
    const version = await versionOf(server, "stability-ai/stable-diffusion")
    const output = await server.replicate.run(`stability-ai/stable-diffusion:${version}`, {
      input: { prompt }
    })
    const [picture] = output as [FileOutput]
    assert.match(pathOf(picture), /^\/media\//)
    const blob = await picture.blob()
    assert.strictEqual(blob.type, "image/png")
    assert.deepStrictEqual(Buffer.from(await blob.arrayBuffer()), png)
  },

  "Usage: run in the background, fetch it later, wait": async (server) => {
    const { replicate } = server
    const version = await versionOf(server, "stability-ai/stable-diffusion")
    let prediction = await replicate.predictions.create({
      version,
      input: { prompt: "painting of a cat by andy warhol" }
    })
    assert.strictEqual(prediction.status, "starting")
    prediction = await replicate.predictions.get(prediction.id)
    assert.strictEqual(prediction.version, version)
    prediction = await replicate.wait(prediction)
    assert.strictEqual(prediction.status, "succeeded")
    assert.match(prediction.output[0], /^https:\/\/inferlog\.test\/media\//)
  },

  "Usage: a file as input, and a version in the name": async (server) => {
    const version = await versionOf(server, "nightmareai/real-esrgan")
    const image = png
    const output = await server.replicate.run(`nightmareai/real-esrgan:${version}`, { input: { image } })
    const [picture] = output as [FileOutput]
    assert.match(pathOf(picture), /^\/media\//)
    const given = server.worker.runs.findLast(({ model }) => model === "nightmareai/real-esrgan")
    const read = await server.toServer(given?.input["image"] ?? "")
    assert.deepStrictEqual(Buffer.from(await read.arrayBuffer()), image)
  },

  "TypeScript usage: onProgress": async ({ replicate }) => {
    const seen: Array<Prediction> = []
    const output = await replicate.run(
      "black-forest-labs/flux-schnell",
      { input: { prompt } },
      (prediction) => seen.push(prediction)
    )
    assert.lengthOf(output as ReadonlyArray<unknown>, 1)
    assert.strictEqual(seen.at(-1)?.status, "succeeded")
  },

  "Webhooks and Verifying webhooks": async (server) => {
    const { receiver, replicate } = server
    const version = await versionOf(server, "replicate/hello-world")
    const { id } = await replicate.predictions.create({
      version,
      input: { text: "Alice" },
      webhook: receiver.url("/webhooks/replicate"),
      webhook_events_filter: ["completed"]
    })
    const secret = (await replicate.webhooks.default.secret.get()).key
    const post = await Effect.runPromise(
      Until.answers(
        async () => receiver.posts()[0] ?? Promise.reject(new Error("No webhook has come")),
        Until.processes
      )
    )
    const headers = {
      "webhook-id": String(post.headers["webhook-id"]),
      "webhook-timestamp": String(post.headers["webhook-timestamp"]),
      "webhook-signature": String(post.headers["webhook-signature"])
    }
    const request = () => new Request("https://my.app/webhooks", { method: "POST", headers, body: post.body })
    assert.isTrue(await validateWebhook(request(), secret))
    assert.isFalse(await validateWebhook(request(), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    const [webhookId, timestamp, signature] = Object.values(headers) as [string, string, string]
    const given = { id: webhookId, timestamp, signature, body: post.body.toString(), secret }
    assert.isTrue(await validateWebhook(given))
    assert.deepInclude(JSON.parse(post.body.toString()), { id, event: "completed", output: "hello Alice" })
  },

  "Constructor: a fetch that adds headers": async (server) => {
    const seen: Array<string> = []
    const replicate = new Replicate({
      baseUrl: server.replicate.baseUrl ?? "",
      auth: apiKey,
      fetch: (url, options) => {
        seen.push(String(url))
        return server.toServer(url, {
          ...options,
          headers: { ...(options?.headers as object), "X-Custom-Header": "some value" }
        })
      }
    })
    await replicate.models.list()
    assert.deepStrictEqual(seen, ["https://inferlog.test/compat/replicate/v1/models"])
  },

  "replicate.run: progress while it is polled": async ({ replicate }) => {
    const lines: Array<string | undefined> = []
    const onProgress = (prediction: Prediction) => void lines.push(prediction.logs?.split("\n").pop())
    const output = await replicate.run(
      "replicate/hello-world",
      { input: { text: "Bob" }, wait: { mode: "poll", interval: 50 } },
      onProgress
    )
    assert.strictEqual(output as unknown, "hello Bob")
    assert.deepStrictEqual([lines[0], lines.at(-1)], ["", "done"])
  },

  "replicate.run: a failed prediction throws": async ({ replicate }) => {
    await assertRejects(
      replicate.run("replicate/hello-world", { input: { text: "fail" } }),
      /Prediction failed: out of memory/
    )
  },

  "replicate.run: a signal cancels": async ({ replicate }) => {
    const controller = new AbortController()
    const seen: Array<Prediction> = []
    const output = await replicate.run(
      "sandbox/slow",
      { input: { seconds: 60 }, wait: { mode: "poll", interval: 20 }, signal: controller.signal },
      (prediction) => {
        seen.push(prediction)
        controller.abort()
      }
    )
    assert.isNull(output)
    assert.strictEqual(seen.at(-1)?.status, "canceled")
  },

  "replicate.run: a wait that is too short falls back to polling": async ({ replicate }) => {
    const seen: Array<string> = []
    const output = await replicate.run(
      "sandbox/slow",
      { input: { seconds: 1.2 }, wait: { mode: "block", timeout: 1 } },
      ({ status }) => seen.push(status)
    )
    assert.deepStrictEqual(output, { slept: 1.2 })
    assert.deepStrictEqual([seen[0], seen.at(-1)], ["starting", "succeeded"])
  },

  "replicate.stream: each chunk before the next one is made": async ({ replicate, worker }) => {
    const output: Array<string> = []
    const events: Array<string> = []
    for await (const { data, event, id } of replicate.stream("meta/llama-2-70b-chat", {
      input: { prompt: "Write a poem about machine learning in the style of Mary Oliver." }
    })) {
      events.push(event)
      if (event !== "output") continue
      assert.isString(id)
      output.push(data)
      // The worker makes no further chunk before this one was read.
      await Effect.runPromise(worker.turnPage)
    }
    assert.deepStrictEqual(output, [...poem])
    assert.deepStrictEqual(events, [...poem.map(() => "output"), "done"])
  },

  "replicate.stream: a model whose output is not made in parts": async ({ replicate }) => {
    const events: Array<string> = []
    for await (const event of replicate.stream("replicate/hello-world", { input: { text: "Eve" } })) {
      events.push(event.event, String(event))
    }
    assert.deepStrictEqual(events, ["output", "hello Eve", "done", ""])
  },

  "predictions.create: streaming by its URL": async (server) => {
    const options = { model: "black-forest-labs/flux-schnell", input: { prompt }, stream: true }
    const prediction = await server.replicate.predictions.create(options)
    const { urls } = await server.replicate.wait(prediction)
    // As an `EventSource` would: without the token.
    const text = await (await server.toServer(urls.stream ?? "")).text()
    assert.match(
      text,
      /^id: \S+\nevent: output\ndata: https:\/\/inferlog\.test\/media\/\S+\n\nevent: done\ndata: \{\}\n\n$/
    )
  },

  "models.get, list, search, versions": async ({ replicate }) => {
    const model = await replicate.models.get("replicate", "hello-world")
    assert.deepInclude(model, { owner: "replicate", name: "hello-world", visibility: "public" })
    const { results } = await replicate.models.list()
    assert.include(
      results.map(({ name, owner }) => `${owner}/${name}`),
      "replicate/hello-world"
    )
    const found = await replicate.models.search("hello-world")
    assert.strictEqual(found.results[0]?.name, "hello-world")
    const versions = await replicate.models.versions.list("replicate", "hello-world")
    const latest = Object(versions).results[0]
    assert.deepStrictEqual(latest, model.latest_version)
    assert.deepStrictEqual(await replicate.models.versions.get("replicate", "hello-world", latest.id), latest)
    assert.property(latest.openapi_schema.components.schemas.Input.properties, "text")
  },

  "predictions.get, cancel": async ({ replicate }) => {
    const { id } = await replicate.predictions.create({ model: "sandbox/slow", input: { seconds: 60 } })
    const canceled = await replicate.predictions.cancel(id)
    assert.strictEqual(canceled.status, "canceled")
    assert.isString(canceled.completed_at)
    // Once more, it stays as it is.
    assert.strictEqual((await replicate.predictions.cancel(id)).status, "canceled")
    assert.deepInclude(await replicate.predictions.get(id), { status: "canceled", output: null, error: null })
  },

  "deployments.predictions.create": async ({ replicate }) => {
    const prediction = await replicate.deployments.predictions.create("replicate", "hello-world", {
      input: { text: "Alice" },
      wait: true
    })
    assert.deepInclude(prediction, {
      status: "succeeded",
      output: "hello Alice",
      deployment: "replicate/hello-world"
    })
    const deployment = await replicate.deployments.get("replicate", "hello-world")
    assert.strictEqual(deployment.current_release.version, prediction.version)
  },

  "files.create, get, list, delete": async ({ replicate, toServer }) => {
    const created = await replicate.files.create(new File([png], "photo.png", { type: "image/png" }))
    assert.deepInclude(Object(created), { name: "photo.png", content_type: "image/png", size: png.length })
    const bytes = await (await toServer(created.urls.get)).arrayBuffer()
    assert.deepStrictEqual(Buffer.from(bytes), png)
    const read = await replicate.files.get(created.id)
    assert.deepStrictEqual(read.checksums, created.checksums)
    const listed = Object(await replicate.files.list()).results
    assert.include(
      listed.map(({ id }: { id: string }) => id),
      created.id
    )
    assert.isTrue(await replicate.files.delete(created.id))
    await assertRejects(replicate.files.get(created.id), /status 410 /)
  },

  "accounts.current": async ({ replicate }) => {
    const { username } = await replicate.accounts.current()
    assert.match(username, /^acc_/)
  },

  "replicate.paginate": async ({ replicate }) => {
    const ids = Array.from({ length: 3 }, (_, index) => index)
    for (const index of ids) {
      await replicate.predictions.create({ model: "replicate/hello-world", input: { text: `${index}` } })
    }
    const seen: Array<string> = []
    for await (const page of replicate.paginate(replicate.predictions.list)) {
      seen.push(...page.map(({ id }) => id))
    }
    assert.isAtLeast(new Set(seen).size, 3)
    assert.strictEqual(new Set(seen).size, seen.length)
  },

  "replicate.request": async ({ replicate }) => {
    const response = await replicate.request("/models/replicate/hello-world", { method: "GET" })
    assert.strictEqual(Object(await response.json()).name, "hello-world")
  },

  "FileOutput: bytes in chunks, and how to opt out": async (server) => {
    const output = await server.replicate.run("black-forest-labs/flux-schnell", { input: { prompt } })
    const [picture] = output as [FileOutput]
    const chunks: Array<Uint8Array> = []
    for await (const chunk of picture) chunks.push(chunk)
    assert.deepStrictEqual(Buffer.concat(chunks), png)
    const plain = new Replicate({
      baseUrl: server.replicate.baseUrl ?? "",
      auth: apiKey,
      fetch: server.toServer,
      useFileOutput: false
    })
    const urls = await plain.run("black-forest-labs/flux-schnell", { input: { prompt } })
    assert.match(String((urls as ReadonlyArray<string>)[0]), /^https:\/\/inferlog\.test\/media\//)
  }
}

const assertRejects = async (promise: Promise<unknown>, message: RegExp) => {
  const error = await promise.then(
    () => null,
    (error: unknown) => error
  )
  assert.match(String(error), message)
}

layer(ReplicateServer.layer, { excludeTestServices: true })("an example of the README works", (it) => {
  it.effect.each(Object.keys(examples))("%s", (name) =>
    Effect.gen(function* () {
      const server = yield* ReplicateServer
      yield* Effect.promise(async () => examples[name]?.(server))
    })
  )
})
