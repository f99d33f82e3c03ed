import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as NatsOptions from "#streams/nats/NatsOptions.ts"

const plain: NatsOptions.NatsOptions = {
  servers: ["host:4222"],
  user: null,
  password: null,
  token: null,
  credentials: null,
  tls: false,
  ca: null,
  prefix: "inferlog",
  replicas: 1,
  storage: "file",
  isSynced: false
}

const taken: Record<string, Partial<NatsOptions.NatsOptions>> = {
  "nats://host": {},
  "nats://host/": {},
  "nats://host:14222": { servers: ["host:14222"] },
  "nats://[::1]:4223": { servers: ["[::1]:4223"] },
  "nats://[::1]": { servers: ["[::1]:4222"] },
  "nats://a,b:1,c.example.com": { servers: ["a:4222", "b:1", "c.example.com:4222"] },
  "nats://me:secret@host": { user: "me", password: "secret" },
  "nats://me:s%3Ae%40c@host": { user: "me", password: "s:e@c" },
  "nats://me:a:b@host": { user: "me", password: "a:b" },
  "nats://t0ken@host": { token: "t0ken" },
  "nats://host?replicas=3&prefix=other-log&sync=always": {
    replicas: 3,
    prefix: "other-log",
    isSynced: true
  },
  "nats://host?storage=memory": { storage: "memory" },
  "nats://host?tls=true&ca=/etc/ca.pem&creds=/etc/me.creds": {
    tls: true,
    ca: "/etc/ca.pem",
    credentials: "/etc/me.creds"
  }
}

const refused = [
  "",
  "host",
  "http://host",
  "nats://",
  "nats://host:0",
  "nats://host:65536",
  "nats://host:port",
  "nats://a,,b",
  "nats://a b",
  "nats://@host",
  "nats://:secret@host",
  "nats://me:%zz@host",
  "nats://host/path",
  "nats://host#fragment",
  "nats://host?replicas=2",
  "nats://host?replicas=",
  "nats://host?storage=tape",
  "nats://host?sync=never",
  "nats://host?prefix=Upper",
  "nats://host?prefix=a.b",
  "nats://host?prefix=",
  "nats://host?replica=3",
  "nats://host?replicas=3&replicas=3",
  "nats://host?ca=/etc/ca.pem",
  "nats://host?tls=true&ca=",
  "nats://host?creds="
]

describe("The address of a NATS log", () => {
  it.each(Object.entries(taken))("is taken: %s", (text, options) => {
    assert.deepStrictEqual(Result.getOrThrow(NatsOptions.parse(text)), { ...plain, ...options })
  })

  it.each(refused)("is refused: '%s'", (text) => {
    const parsed = NatsOptions.parse(text)
    // Reveals nothing of it, because it may contain a password.
    assert.isTrue(Result.isFailure(parsed) && parsed.failure === null)
  })
})
