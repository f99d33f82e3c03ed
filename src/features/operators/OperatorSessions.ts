/** The sessions of operators who sign in at an issuer. They are on the log, so every node knows them and a restart keeps them. */
import * as crypto from "node:crypto"
import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import { KeyId } from "#domain/Ids.ts"
import * as OperatorIdentity from "#domain/operator-identity/OperatorIdentity.ts"
import type { Role } from "#domain/operator/Role.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Unauthorized } from "#src/features/accounts/Authentication.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { Operator } from "./Operator.ts"
import { OperatorIdentityActors } from "./OperatorActors.ts"

/** The sign-in has made a session before. */
export class SignInRepeated extends Schema.TaggedError<SignInRepeated>()("SignInRepeated", {}) {}

/** Whom the issuer has signed in. */
export interface Person {
  readonly issuer: string
  readonly subject: string
}

/** An open session. */
export interface Open {
  readonly operator: Operator
  readonly sessionId: string
  /** Unix time in ms. */
  readonly expiresAt: number
}

export interface Opened {
  /** `<identity>.<session>:<secret>` */
  readonly token: Redacted.Redacted
  readonly operator: Operator
  /** Unix time in ms. */
  readonly expiresAt: number
}

/** The id of a person, which is the same at every sign-in. */
export const identityOf = ({ issuer, subject }: Person): OperatorIdentity.OperatorIdentityId =>
  OperatorIdentity.OperatorIdentityId.make(
    `oi_${ApiKey.sha256Hex(JSON.stringify([issuer, subject])).slice(0, 32)}`
  )

const tokenForm = /^(oi_[0-9a-f]{32})\.([\w-]{22})$/

/** Compared when the session does not exist, so that an unknown one takes as long as a wrong secret. */
const noSecret = ApiKey.expected(ApiKey.sha256Hex("no such session"))

export class OperatorSessions extends Context.Service<
  OperatorSessions,
  {
    /**
     * Opens a session. The role is in force for all sessions of the person.
     * @param signInId of the sign-in that the browser began. It opens one session at most.
     */
    open(options: {
      readonly person: Person
      readonly name: string
      readonly role: Role
      readonly signInId: string
      readonly lifetimeMs: number
    }): Effect.Effect<Opened, SignInRepeated | EventStoreError>
    /**
     * The operator of an open session with that issuer. As of the log, as far as this node knows, like keys of operators.
     */
    authenticate(token: string, issuer: string): Effect.Effect<Operator, Unauthorized | EventStoreError>
    /** As `authenticate`, with the session. */
    find(token: string, issuer: string): Effect.Effect<Open, Unauthorized | EventStoreError>
    /** Ends the session of a valid token. Repeating it changes nothing. */
    close(token: string, issuer: string): Effect.Effect<void, EventStoreError>
    /** Ends all sessions of a person whom the issuer gives no role any more. */
    roleLost(person: Person): Effect.Effect<void, EventStoreError>
    /** Ends all sessions of a person. Repeating it changes nothing. */
    revoke(id: OperatorIdentity.OperatorIdentityId): Effect.Effect<void, EventStoreError>
  }
>()("inferlog/src/features/operators/OperatorSessions") {
  static readonly layer = Layer.effect(
    OperatorSessions,
    Effect.gen(function* () {
      const actors = yield* OperatorIdentityActors

      const open = Effect.fn("OperatorSessions.open")(function* (
        options: Parameters<OperatorSessions["Service"]["open"]>[0]
      ) {
        const { lifetimeMs, name, person, role, signInId } = options
        const at = yield* Clock.currentTimeMillis
        const expiresAt = at + lifetimeMs
        const sessionId = crypto.hash("sha256", signInId, "buffer").subarray(0, 16).toString("base64url")
        const secret = ApiKey.makeSecret()
        const id = identityOf(person)
        yield* actors
          .execute(id, {
            _tag: "SignIn",
            signIn: { at, ...person, name, role, sessionId, secretHash: ApiKey.hashSecret(secret), expiresAt }
          })
          .pipe(Effect.catchTag("SignInRepeated", () => Effect.fail(new SignInRepeated())))
        const token = Redacted.make(ApiKey.format({ keyId: KeyId.make(`${id}.${sessionId}`), secret }))
        const opened: Opened = { token, expiresAt, operator: { id, name, role } }
        return opened
      })

      const find = Effect.fnUntraced(function* (token: string, issuer: string) {
        const presented = ApiKey.present(token)
        const [, id, sessionId] = tokenForm.exec(presented?.keyId ?? "") ?? []
        if (presented === null || id === undefined || sessionId === undefined)
          return yield* new Unauthorized()
        const { state } = yield* actors.current(id)
        const session = OperatorIdentity.openSession(state, sessionId, yield* Clock.currentTimeMillis)
        const isRight = ApiKey.matches(
          presented,
          session === null ? noSecret : ApiKey.expected(session.secretHash)
        )
        if (state._tag === "Unknown" || session === null || !isRight || state.issuer !== issuer) {
          return yield* new Unauthorized()
        }
        const operator: Operator = { id, name: state.name, role: state.role }
        const open: Open = { operator, sessionId, expiresAt: session.expiresAt }
        return open
      })

      const end = (id: string, command: OperatorIdentity.Command) =>
        // Ending is never refused.
        actors.execute(id, command).pipe(Effect.catchTag("SignInRepeated", Effect.die), Effect.asVoid)

      const close = Effect.fn("OperatorSessions.close")(function* (token: string, issuer: string) {
        const { operator, sessionId } = yield* find(token, issuer)
        yield* end(operator.id, { _tag: "SignOut", at: yield* Clock.currentTimeMillis, sessionId })
      })

      const roleLost = Effect.fn("OperatorSessions.roleLost")(function* (person: Person) {
        const at = yield* Clock.currentTimeMillis
        yield* end(identityOf(person), { _tag: "EndSessions", at, reason: "role_lost" })
      })

      const revoke = Effect.fn("OperatorSessions.revoke")(function* (
        id: OperatorIdentity.OperatorIdentityId
      ) {
        yield* end(id, { _tag: "EndSessions", at: yield* Clock.currentTimeMillis, reason: "revoked" })
      })

      return OperatorSessions.of({
        open,
        find,
        authenticate: (token, issuer) => Effect.map(find(token, issuer), ({ operator }) => operator),
        close: (token, issuer) => Effect.catchTag(close(token, issuer), "Unauthorized", () => Effect.void),
        roleLost,
        revoke
      })
    })
  )
}
