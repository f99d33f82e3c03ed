/**
 * Webhooks of nodes that share a log: each is sent by one node, by another when that node is gone, and erased for
 * all.
 * @cost Three nodes as processes; one is killed while it sends.
 */
import { fileURLToPath } from "node:url"
import { assert, describe, layer } from "@effect/vitest"
import { Array, Effect } from "effect"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Client from "#test/support/src/features/webhooks/deliveries/Client.ts"
import * as Deliveries from "#test/support/src/features/webhooks/deliveries/Invariants.ts"
import { filesWith } from "#test/support/FilesWith.ts"
import type { Node } from "#test/support/Nodes.ts"
import * as NatsBinary from "#test/support/servers/NatsBinary.ts"
import * as WebhookReceiver from "#test/support/WebhookReceiver.ts"
import * as LogFacts from "#test/support/src/platform/cluster/nodes/LogFacts.ts"
import { explained, World } from "#test/support/src/platform/cluster/nodes/World.ts"

const requests = 45

/** The time until the others count a node as dead (8 s) and the next attempt (5 s), and slack for a busy machine. */
const takeover = { limitMs: 30_000 }

const scenario = { timeout: 90_000 }

const clientOf = ({ url }: Node) => Client.make(url)

const deliveriesOf = ({ settings }: Node) =>
  Effect.map(LogFacts.eventsAt(settings["EVENT_STORE"] ?? ""), (events) =>
    Map.groupBy(
      events.filter(({ stream }) => StreamName.categoryOf(stream) === "WebhookDelivery"),
      ({ stream }) => StreamName.idOf(stream)
    )
  )

const sendersOf = (events: ReadonlyArray<RecordedEvent>) =>
  events.flatMap(({ data, type }) => (type === "AttemptStarted" ? [String(data["node"])] : []))

/** Waits until every node reports it as delivered. */
const deliveredAtAll = (nodes: ReadonlyArray<Node>, id: string) =>
  Effect.forEach(nodes, (node) => clientOf(node).until(id, Client.isDelivered), { concurrency: 3 })

describe.skipIf(NatsBinary.isMissing)(NatsBinary.named("Webhooks of several nodes"), () => {
  layer(World.layer, { excludeTestServices: true, timeout: "2 minutes" })((it) => {
    it.effect(
      "are sent once each, by all of them in turn",
      () =>
        Effect.gen(function* () {
          const { nodes } = yield* World
          const receiver = yield* WebhookReceiver.make()
          const ids = yield* Effect.forEach(
            Array.range(1, requests),
            (n) =>
              Effect.map(
                clientOf(nodes[n % 3] ?? nodes[0]).submit({ webhook: receiver.url(), input: { value: n } }),
                (id) => Client.deliveryOf(id)
              ),
            { concurrency: 12 }
          )
          yield* Effect.forEach(ids, (id) => receiver.until(id), { concurrency: "unbounded" })
          yield* Effect.forEach(ids, (id) => deliveredAtAll(nodes, id), { concurrency: 4 })
          const deliveries = yield* deliveriesOf(nodes[0])
          for (const id of ids) {
            Deliveries.checkDelivered(deliveries.get(id) ?? [], receiver.of(id))
            assert.strictEqual(receiver.of(id).length, 1, id)
          }
          assert.strictEqual(receiver.posts().length, requests)
          const senders = new Set([...deliveries.values()].flatMap(sendersOf))
          assert.sameMembers(
            [...senders],
            nodes.map((node) => node.name())
          )
        }).pipe(explained),
      scenario
    )

    it.effect(
      "are sent by another one when the sending one is killed",
      () =>
        Effect.gen(function* () {
          const { nodes } = yield* World
          const receiver = yield* WebhookReceiver.make((post, response) => {
            if (post.turn > 1) response.writeHead(200).end()
          })
          const id = Client.deliveryOf(yield* clientOf(nodes[0]).submit({ webhook: receiver.url() }))
          yield* receiver.until(id)
          const [sender] = sendersOf((yield* deliveriesOf(nodes[0])).get(id) ?? [])
          const victim = nodes.find((node) => node.name() === sender)
          assert.isDefined(victim)
          yield* victim.kill
          yield* receiver.until(id, 2, takeover)
          const others = nodes.filter((node) => node !== victim)
          yield* deliveredAtAll(others, id)
          yield* victim.restart
          const [told] = yield* deliveredAtAll([victim], id)
          assert.deepStrictEqual(
            told?.attemptHistory.map(({ error, responseStatus }) => [responseStatus, error]),
            [
              [null, "connection_failed"],
              [200, null]
            ]
          )
          const events = (yield* deliveriesOf(nodes[0])).get(id) ?? []
          Deliveries.checkDelivered(events, receiver.of(id))
          const senders = sendersOf(events)
          assert.notStrictEqual(senders[1], sender)
          assert.include(
            others.map((node) => node.name()),
            senders[1]
          )
        }).pipe(explained),
      scenario
    )

    it.effect(
      "are deleted from all of them once their request is erased, including pending ones",
      () =>
        Effect.gen(function* () {
          const { nodes } = yield* World
          const receiver = yield* WebhookReceiver.make(({ path }, response) => {
            response.writeHead(path === "/refusing" ? 503 : 204).end()
          })
          const word = "delta.webhook@example.com"
          const submit = (path: string, value: string) =>
            clientOf(nodes[0]).submit({ webhook: receiver.url(path), input: { value } })
          const delivered = yield* submit("/", word.repeat(5_000))
          const waiting = yield* submit("/refusing", word)
          yield* deliveredAtAll(nodes, Client.deliveryOf(delivered))
          yield* clientOf(nodes[1]).until(Client.deliveryOf(waiting), Client.isTried)
          const { settings } = nodes[0]
          const blobs = fileURLToPath(settings["BLOB_STORE"] ?? "")
          assert.isNotEmpty(filesWith(blobs, word))

          for (const id of [delivered, waiting]) {
            const path = `/requests/${id}/payloads`
            const { status } = yield* clientOf(nodes[1]).call(path, { method: "DELETE" })
            assert.strictEqual(status, 204)
          }
          for (const node of nodes) {
            const client = clientOf(node)
            for (const id of [delivered, waiting]) {
              const path = `/webhooks/deliveries/${Client.deliveryOf(id)}/replay`
              const { body, status } = yield* client.call(path, { method: "POST" })
              assert.strictEqual(status, 410, JSON.stringify(body))
            }
            const { attempts, nextAttemptAt, status } = yield* client.delivery(Client.deliveryOf(waiting))
            assert.deepStrictEqual([status, attempts, nextAttemptAt], ["failed", 1, null])
            assert.deepStrictEqual(filesWith(node.settings["DATA_DIR"] ?? "", word), [])
          }
          assert.deepStrictEqual(filesWith(blobs, word), [])
        }).pipe(explained),
      scenario
    )
  })
})
