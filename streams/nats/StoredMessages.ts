/** Reads single messages of a stream from its leader, so they are never stale. */
import type { MsgRequest, NextMsgRequest, StoredMsg } from "@nats-io/jetstream"
import type { Effect } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import type { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"

/** The requested message. `null` when there is none. */
export type StoredMessages = (
  query: MsgRequest | NextMsgRequest
) => Effect.Effect<StoredMsg | null, EventStoreError>

/** @param what the failed operation, as in "The log cannot be read". */
export const make =
  (nats: Nats["Service"], stream: string, what: string): StoredMessages =>
  (query) =>
    // The leader supports `next_by_subj` too; the client's types have it for direct reads only.
    NatsFailure.attempt(nats, what, () => nats.jsm.streams.getMessage(stream, query as MsgRequest))

/** Whether the message was published with that id. */
export const isSentAs = ({ header }: StoredMsg, id: string): boolean => header.get("Nats-Msg-Id") === id
