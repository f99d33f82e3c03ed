/** Helpers for tests of `upload_file`: a node whose tools are called in this process, and its stored files. */
import * as fs from "node:fs"
import { assert } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { McpProtocol, McpServer, McpTest } from "effect/ai"
import * as FilesProjection from "#projections/files/FilesProjection.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { ImageSource } from "#src/features/media/ImageSource.ts"
import { MessageBody } from "#src/edges/mcp/body/MessageBody.ts"
import { type SpooledText, SpooledTexts } from "#src/edges/mcp/SpooledText.ts"
import * as AllTools from "#src/edges/mcp/AllTools.ts"
import { MaxFileBytes } from "#src/edges/mcp/tools/files/FileSource.ts"
import { ToolCaller } from "#src/edges/mcp/ToolCaller.ts"
import { ScratchDirectory } from "#src/kernel/disk/ScratchDirectory.ts"
import * as Library from "#test/support/src/features/files/Library.ts"
import type * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as DirectUploadStore from "#test/support/DirectUploadStore.ts"

/** The size limit of files in tests, so that no test must move the largest file. */
export const maxBytes = 1024 * 1024

export interface NodeOptions {
  readonly guard?: OutboundGuard.GuardOptions
  /** `STORAGE_QUOTA`. */
  readonly quota?: string
}

const node = { projections: [FilesProjection.projection] }

const over = <A, E, R>(files: Layer.Layer<A, E, R>, quota: string | undefined) =>
  Layer.merge(ImageSource.layer, MessageBody.layer).pipe(
    Layer.provideMerge(files),
    Layer.provideMerge(Layer.succeed(MaxFileBytes, maxBytes)),
    Layer.provide(
      ConfigProvider.layer(ConfigProvider.fromUnknown(quota === undefined ? {} : { STORAGE_QUOTA: quota }))
    )
  )

/** Clients upload to it. */
export const local = ({ guard = {}, quota }: NodeOptions = {}) =>
  over(Library.local({ ...node, guard }), quota)

/** Clients upload to the store. */
export const direct = ({ guard = {}, quota }: NodeOptions = {}) =>
  over(Library.direct(DirectUploadStore.make(), { ...node, guard }), quota)

type Arguments = Readonly<Record<string, unknown>>

interface CallOptions {
  readonly caller?: Caller
  readonly spooled?: ReadonlyMap<string, SpooledText>
}

/** A client of the tool, until the scope closes. */
export const connect = ({ caller = Library.alice, spooled = new Map() }: CallOptions = {}) =>
  McpTest.makeClient(
    AllTools.fileLayer.pipe(
      Layer.provide(
        McpServer.middleware<{ provides: ToolCaller }>()((call) =>
          call.pipe(Effect.provideService(ToolCaller, caller), Effect.provideService(SpooledTexts, spooled))
        ).layer
      )
    ),
    { protocols: [McpProtocol.v2025_11_25] }
  )

/** Requests progress. */
export const callOf = Effect.fnUntraced(function* (client: McpTest.Client, given: Arguments) {
  const { content, isError, structuredContent } = yield* client.callTool({
    name: "upload_file",
    arguments: given,
    _meta: { progressToken: "token" }
  })
  const [first] = content
  const text = first?.type === "text" ? first.text : assert.fail("It has no text")
  return { isError: isError === true, text, structuredContent }
})

export const call = (given: Arguments, options?: CallOptions) =>
  Effect.scoped(Effect.flatMap(connect(options), (client) => callOf(client, given)))

interface Uploaded {
  readonly fileUrl: string
  readonly fileId: string
  readonly fileName: string
  readonly contentType: string
  readonly size: number
  readonly sha256: string
  readonly expiresAt: string
}

/** The stored file. */
export const upload = Effect.fnUntraced(function* (given: Arguments, options?: CallOptions) {
  const { isError, structuredContent, text } = yield* call(given, options)
  assert.isFalse(isError, text)
  assert.deepStrictEqual(JSON.parse(text), structuredContent)
  return structuredContent as Uploaded
})

/** Why nothing was stored. */
export const errorAnswer = Effect.fnUntraced(function* (given: Arguments, options?: CallOptions) {
  const { isError, text } = yield* call(given, options)
  assert.isTrue(isError, text)
  assert.deepStrictEqual(yield* scratchFiles, [], "no temporary file is left")
  assert.deepStrictEqual(yield* Library.ids(), [], "no file is there")
  return text
})

export const scratchFiles = Effect.map(ScratchDirectory, (directory) => fs.readdirSync(directory))
