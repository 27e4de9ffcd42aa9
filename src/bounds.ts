/** Every technical maximum, timeout and batch size. A limit is the merchant's min/max; a bound is ours. */

export const bounds = {
  bodyBytes: 16 * 1024,
  headerBytes: 16 * 1024,
  /** A client has this long to send its headers, and this long for the whole request. */
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  connectionsCheckMs: 1_000,
  keepAliveTimeoutMs: 72_000,

  textCharacters: 128,
  urlCharacters: 2_000,
  fields: 64,
  pageSize: 200,
  pageSizeDefault: 50,

  /** How far a signed timestamp may lie from the database's clock. */
  signatureToleranceSeconds: 300,
  keysPerMerchant: 3,
  keyOverlapDays: 7,
  keyOverlapDaysMost: 30,
  callbackOverlapDays: 1,
  callbackOverlapDaysMost: 7,
  keyUseWriteMs: 60_000,
  /** What is read from the database about merchants and the catalogue is believed for this long. */
  merchantCacheMs: 1_000,
  merchantCacheEntries: 10_000,

  /** Unsigned requests per client address, and failed signatures per client address. */
  addressRate: { perSecond: 50, burst: 200 },
  failedSignatureRate: { perSecond: 1, burst: 30 },
  rateLimitEntries: 50_000,

  groupMembers: 200,
  groupQueue: 5_000,
  groupAttempts: 5,
  referenceBlock: 1_000,

  databaseConnections: 10,
  databaseConnectTimeoutMs: 3_000,
  statementTimeoutMs: 5_000,
  lockTimeoutMs: 1_000,
  transactionAttempts: 5,

  shutdownMs: 10_000,
  drainMs: 5_000,
  slowRequestMs: 1_000,
  overloadedRetrySeconds: 1,
  noRequisiteRetrySeconds: 30,
} as const
