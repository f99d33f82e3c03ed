/** Single messages of a stream, from its leader, so that they are never stale. */
import type { MsgRequest, NextMsgRequest, StoredMsg } from "@nats-io/jetstream"
import type { Effect } from "effect"
import type { EventStoreError } from "../EventReader.ts"
import type { Nats } from "./Nats.ts"
import * as NatsFailure from "./NatsFailure.ts"

/** The message that is asked for; `null` when there is none. */
export type StoredMessages = (
  query: MsgRequest | NextMsgRequest
) => Effect.Effect<StoredMsg | null, EventStoreError>

/** @param what cannot be done when it fails, as in "The log cannot be read". */
export const make =
  (nats: Nats["Service"], stream: string, what: string): StoredMessages =>
  (query) =>
    // The server takes `next_by_subj` from the leader too; the client's types know it of direct reads only.
    NatsFailure.attempt(nats, what, () => nats.jsm.streams.getMessage(stream, query as MsgRequest))

/** Whether the message was published under that id. */
export const isSentAs = ({ header }: StoredMsg, id: string): boolean => header.get("Nats-Msg-Id") === id
