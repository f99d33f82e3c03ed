/** `Administration` on the wire. A new operation is a line here, one in `AdminServer` and one in `AdminClient`. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ListedKey, ListedWorkerKey } from "#projections/keys/Keys.ts"
import { CopyRefused } from "#projections/rebuild/RebuildError.ts"
import { ProjectionStatuses } from "#projections/status/ProjectionStatus.ts"
import { AccountClosed, AccountNotFound, PaymentIdReused } from "#src/features/accounts/Accounts.ts"
import { KeyExpired, KeyNotFound, KeyRevoked, TooManyKeys } from "#src/features/accounts/KeyErrors.ts"
import { EndpointTaken, ItemNotFound, PublishedItem } from "#src/features/catalog/Publishing.ts"
import { WorkerKeyEnded, WorkerKeyNotFound } from "#src/features/providers/workers/WorkerKeys.ts"
import {
  AccountLimits,
  Balance,
  ChangeLimits,
  ListAccounts,
  ListedAccount,
  SetPassword,
  ShowBalance,
  ShowLimits,
  ToppedUp,
  TopUp
} from "./accounts/AccountOperations.ts"
import { EraseAccount, ErasingStep } from "./accounts/ErasingOperations.ts"
import {
  AmbiguousName,
  DeprecateItem,
  ItemInUse,
  ListedItem,
  ListItems,
  NotDeprecatable,
  PublishDefinitions,
  ShowItem,
  ShownItem,
  WithdrawItem,
  WithdrawnItem
} from "./catalog/CatalogOperations.ts"
import {
  AdministrationFailed,
  IssuedKey,
  IssueKey,
  ListKeys,
  OpenAccount,
  RevokeKey,
  RotatedKey,
  RotateKey
} from "./Administration.ts"
import {
  ListedRequests,
  ListRequests,
  ShownRequest,
  ShowRequest,
  UnknownRequest
} from "./requests/RequestOperations.ts"
import {
  IssuedWorkerKey,
  IssueWorkerKey,
  ListWorkerKeys,
  RevokeWorkerKey,
  RotatedWorkerKey,
  RotateWorkerKey
} from "./WorkerKeyOperations.ts"

const failed = AdministrationFailed.pipe(HttpApiSchema.status(500))
const noAccount = AccountNotFound.pipe(HttpApiSchema.status(404))
const noKey = KeyNotFound.pipe(HttpApiSchema.status(404))
const closed = AccountClosed.pipe(HttpApiSchema.status(409))
const noItem = ItemNotFound.pipe(HttpApiSchema.status(404))
const noWorkerKey = WorkerKeyNotFound.pipe(HttpApiSchema.status(404))
const unknownRequest = UnknownRequest.pipe(HttpApiSchema.status(404))

const operations = HttpApiGroup.make("administration", { topLevel: true }).add(
  HttpApiEndpoint.post("openAccount", "/accounts", {
    payload: OpenAccount,
    success: IssuedKey,
    error: failed
  }),
  HttpApiEndpoint.post("issueKey", "/keys/issue", {
    payload: IssueKey,
    success: IssuedKey,
    error: [noAccount, closed, TooManyKeys.pipe(HttpApiSchema.status(409)), failed]
  }),
  HttpApiEndpoint.post("rotateKey", "/keys/rotate", {
    payload: RotateKey,
    success: RotatedKey,
    error: [
      noKey,
      KeyRevoked.pipe(HttpApiSchema.status(409)),
      KeyExpired.pipe(HttpApiSchema.status(409)),
      failed
    ]
  }),
  HttpApiEndpoint.post("revokeKey", "/keys/revoke", {
    payload: RevokeKey,
    error: [noKey, failed]
  }),
  HttpApiEndpoint.post("listKeys", "/keys/list", {
    payload: ListKeys,
    success: Schema.Array(ListedKey),
    error: failed
  }),
  HttpApiEndpoint.post("showBalance", "/accounts/balance", {
    payload: ShowBalance,
    success: Balance,
    error: [noAccount, failed]
  }),
  HttpApiEndpoint.post("topUp", "/accounts/top-up", {
    payload: TopUp,
    success: ToppedUp,
    error: [noAccount, closed, PaymentIdReused.pipe(HttpApiSchema.status(409)), failed]
  }),
  HttpApiEndpoint.post("listAccounts", "/accounts/list", {
    payload: ListAccounts,
    success: Schema.Array(ListedAccount),
    error: failed
  }),
  HttpApiEndpoint.post("showLimits", "/accounts/limits", {
    payload: ShowLimits,
    success: AccountLimits,
    error: [noAccount, failed]
  }),
  HttpApiEndpoint.post("changeLimits", "/accounts/limits/change", {
    payload: ChangeLimits,
    success: AccountLimits,
    error: [noAccount, closed, failed]
  }),
  HttpApiEndpoint.post("setPassword", "/accounts/password", {
    payload: SetPassword,
    error: [noAccount, closed, failed]
  }),
  HttpApiEndpoint.post("eraseAccount", "/accounts/erase", {
    payload: EraseAccount,
    success: ErasingStep,
    error: [noAccount, failed]
  }),
  HttpApiEndpoint.post("listRequests", "/requests/list", {
    payload: ListRequests,
    success: ListedRequests,
    error: [unknownRequest, failed]
  }),
  HttpApiEndpoint.post("showRequest", "/requests/show", {
    payload: ShowRequest,
    success: ShownRequest,
    error: [unknownRequest, failed]
  }),
  HttpApiEndpoint.post("issueWorkerKey", "/workers/issue", {
    payload: IssueWorkerKey,
    success: IssuedWorkerKey,
    error: failed
  }),
  HttpApiEndpoint.post("rotateWorkerKey", "/workers/rotate", {
    payload: RotateWorkerKey,
    success: RotatedWorkerKey,
    error: [noWorkerKey, WorkerKeyEnded.pipe(HttpApiSchema.status(409)), failed]
  }),
  HttpApiEndpoint.post("revokeWorkerKey", "/workers/revoke", {
    payload: RevokeWorkerKey,
    error: [noWorkerKey, failed]
  }),
  HttpApiEndpoint.post("listWorkerKeys", "/workers/list", {
    payload: ListWorkerKeys,
    success: Schema.Array(ListedWorkerKey),
    error: failed
  }),
  HttpApiEndpoint.post("publishDefinitions", "/catalog/publish", {
    payload: PublishDefinitions,
    success: Schema.Array(PublishedItem),
    error: [EndpointTaken.pipe(HttpApiSchema.status(409)), failed]
  }),
  HttpApiEndpoint.post("listItems", "/catalog/list", {
    payload: ListItems,
    success: Schema.Array(ListedItem),
    error: failed
  }),
  HttpApiEndpoint.post("showItem", "/catalog/show", {
    payload: ShowItem,
    success: ShownItem,
    error: [noItem, AmbiguousName.pipe(HttpApiSchema.status(409)), failed]
  }),
  HttpApiEndpoint.post("deprecateItem", "/catalog/deprecate", {
    payload: DeprecateItem,
    error: [noItem, NotDeprecatable.pipe(HttpApiSchema.status(409)), failed]
  }),
  HttpApiEndpoint.post("withdrawItem", "/catalog/withdraw", {
    payload: WithdrawItem,
    success: WithdrawnItem,
    error: [noItem, ItemInUse.pipe(HttpApiSchema.status(409)), failed]
  }),
  HttpApiEndpoint.post("listProjections", "/projections/list", {
    success: ProjectionStatuses,
    error: failed
  }),
  HttpApiEndpoint.post("adoptProjections", "/projections/adopt", {
    error: [CopyRefused.pipe(HttpApiSchema.status(409)), failed]
  })
)

export class AdminApi extends HttpApi.make("inferlog-admin").add(operations) {}
