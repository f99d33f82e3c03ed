/** The routes of auditors. */
import { createRoute } from "@tanstack/react-router"
import { lazyView } from "#console/app/LazyView.ts"
import { operateRoute } from "#console/app/Root.tsx"
import * as ActionsSearch from "./actions/ActionsSearch.ts"
import * as BalanceSearch from "./balance/BalanceSearch.ts"
import * as BooksSearch from "./books/BooksSearch.ts"
import * as JournalSearch from "./journal/JournalSearch.ts"
import * as LogSearch from "./log/LogSearch.ts"

const logRoute = createRoute({
  getParentRoute: () => operateRoute,
  path: "audit/log",
  validateSearch: LogSearch.parse,
  component: lazyView(() => import("./log/LogView.tsx"), "LogView")
})

const booksRoute = createRoute({
  getParentRoute: () => operateRoute,
  path: "audit/books",
  validateSearch: BooksSearch.parse,
  component: lazyView(() => import("./books/BooksView.tsx"), "BooksView")
})

const journalRoute = createRoute({
  getParentRoute: () => operateRoute,
  path: "audit/journal",
  validateSearch: JournalSearch.parse,
  component: lazyView(() => import("./journal/JournalView.tsx"), "JournalView")
})

const balanceRoute = createRoute({
  getParentRoute: () => operateRoute,
  path: "audit/balance",
  validateSearch: BalanceSearch.parse,
  component: lazyView(() => import("./balance/BalanceView.tsx"), "BalanceView")
})

const actionsRoute = createRoute({
  getParentRoute: () => operateRoute,
  path: "audit/actions",
  validateSearch: ActionsSearch.parse,
  component: lazyView(() => import("./actions/ActionsView.tsx"), "ActionsView")
})

const operatorsRoute = createRoute({
  getParentRoute: () => operateRoute,
  path: "operators",
  component: lazyView(() => import("../operators/OperatorsView.tsx"), "OperatorsView")
})

export const auditRoutes = [
  logRoute,
  booksRoute,
  journalRoute,
  balanceRoute,
  actionsRoute,
  operatorsRoute
] as const
