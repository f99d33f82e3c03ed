/** An official client of the protocol with its sign-in, of either generation. */
import type { RememberedLogin } from "./RememberedLogin.ts"

/** The client's connection to the server. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

export interface ToolAnswer {
  readonly isError: boolean
  /** The structured content that the client has checked against the tool's output schema. */
  readonly structured: Readonly<Record<string, unknown>>
  /** Its text content, joined. */
  readonly text: string
}

export interface Told {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

export interface Assistant {
  readonly login: Pick<
    RememberedLogin<
      unknown,
      { readonly access_token: string; readonly refresh_token?: string | undefined },
      unknown
    >,
    "authorizationUrl" | "current" | "issued"
  >
  /** The client id of its registration, once it has one. */
  readonly clientId: () => string
  /** Opens a session. `false`: the user must first sign in at `login.authorizationUrl`. */
  readonly connect: () => Promise<boolean>
  /** The user has signed in, and the browser was redirected to this address. */
  readonly finish: (back: URL) => Promise<void>
  /** From then on the client checks the answers of tools. */
  readonly tools: () => Promise<ReadonlyArray<{ readonly name: string; readonly outputSchema?: unknown }>>
  readonly call: (
    name: string,
    input?: Readonly<Record<string, unknown>>,
    onProgress?: (told: Told) => void
  ) => Promise<ToolAnswer>
  readonly session: () => { readonly id: string | undefined; readonly protocolVersion: string | undefined }
  readonly endSession: () => Promise<void>
  readonly close: () => Promise<void>
  /** Whether the error means that the user must sign in. */
  readonly isUnauthorized: (error: unknown) => boolean
}

/** From the result of a call in both generations. */
export const answerOf = (result: object): ToolAnswer => {
  const content: unknown = Reflect.get(result, "content")
  const blocks: ReadonlyArray<unknown> = Array.isArray(content) ? content : []
  return {
    isError: Reflect.get(result, "isError") === true,
    structured: { ...Object(Reflect.get(result, "structuredContent")) },
    text: blocks.map((block) => String(Reflect.get(Object(block), "text") ?? "")).join("\n")
  }
}
