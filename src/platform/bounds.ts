/** Every technical maximum, timeout and batch size. A limit is the merchant's min/max; a bound is ours. */

export const bounds = {
  bodyBytes: 16 * 1024,
  /** A bank's push of up to a thousand transfers, where every Russian letter may be escaped in six bytes. */
  pushBytes: 4 * 1024 * 1024,
  /** Values of nested JSON: a thousand transfers of fifteen fields have 17,000. */
  jsonValues: 20_000,
  /** A push has three levels, the answer of a passkey five. */
  jsonDepth: 32,
  /** A bank's file that a person uploads, and how long its sending may take. */
  uploadBytes: 200 * 1024 * 1024,
  uploadMs: 10 * 60_000,
  /** It is stored in parts of so many bytes; of each file that arrives or is read one part is in memory. */
  uploadPartBytes: 1024 * 1024,
  /**
   * A merchant's logo: the file, the picture in it, and what is stored unless that would make it blurred. More of a file is read
   * than may be, so that one which is too large is refused beside its field.
   */
  logoBytes: 64 * 1024,
  logoReadBytes: 2 * 1024 * 1024,
  logoSide: 512,
  logoStoredBytes: 16 * 1024,
  /** Reading one takes 100 ms of a processor, with 16 bits to a colour 200 ms. */
  logoRate: { perSecond: 0.2, burst: 10 },
  logosKeptBytes: 4 * 1024 * 1024,
  /** Files that are being sent, of one merchant or person of the desk and in all: logos in memory, banks' files in the database. */
  logosAtOnce: { ofOwner: 2, atOnce: 16, waiting: 0 },
  uploadsAtOnce: { ofOwner: 5, atOnce: 30, waiting: 0 },
  /** Uploads that wait for a person's confirmation in the whole installation, and for how long. */
  uploadsKept: 20,
  uploadKeptMs: 3_600_000,
  uploadClearMs: 300_000,
  /** A process that reads or imports a file has a lease of so long, renews it this often, and asks for its turn this often. */
  uploadLeaseMs: 15_000,
  uploadRenewMs: 1_000,
  uploadTurnMs: 100,
  /** The largest head of a request. */
  headerBytes: 8 * 1024,
  /** A client has this long to send its headers, and this long for the whole request. */
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  keepAliveTimeoutMs: 72_000,
  /** Open at once in one process. The proxy in front bounds those of one client. */
  connections: 2_000,
  /** Each field takes a hundred bytes of memory besides its text. */
  headerFields: 100,

  textCharacters: 128,
  urlCharacters: 2_000,
  /** The longest name that DNS knows. */
  hostCharacters: 253,
  fields: 64,
  pageSize: 200,
  pageSizeDefault: 50,
  /** Bytes of a page of deposits, events or callbacks in the API: a page that would have more ends earlier. */
  pageBytes: 256 * 1024,

  /** How far a signed timestamp may lie from the database's clock. */
  signatureToleranceSeconds: 300,
  keysPerMerchant: 3,
  /** Ended keys of a test merchant that are tried to explain a refused signature. */
  endedKeys: 20,
  keyOverlapDays: 7,
  keyOverlapDaysMost: 30,
  callbackOverlapDays: 1,
  callbackOverlapDaysMost: 7,
  keyUseWriteMs: 60_000,
  /** How long merchants and the catalogue are cached. */
  merchantCacheMs: 1_000,
  merchantCacheEntries: 10_000,
  /** How long requisites with their loads are cached, and for how many choices. The write of a deposit checks them. */
  candidatesKeptMs: 200,
  candidateLists: 1_000,

  /** Unsigned requests, and failed signatures, per network of a client (see `networkOf`). */
  addressRate: { perSecond: 50, burst: 200 },
  failedSignatureRate: { perSecond: 1, burst: 30 },
  rateLimitEntries: 50_000,
  /** Log lines for the refused requests of one address, or of an IPv6 /48, which one host may have. */
  refusedLogRate: { perSecond: 2, burst: 300 },

  /** Deposits of one customer that are read for its limits: a customer with more has reached the limits of sums. */
  customerDeposits: 1_000,
  /** A claim within this time before the deadline extends it by as much, once. */
  claimExtensionMs: 10 * 60_000,
  /** Sweeps work in groups of at most so many. */
  sweepGroup: 500,
  /** Of overdue deposits so many of each merchant are taken in turn. */
  sweepOfMerchant: 100,
  /** A slot past its time that an open deposit holds, or one under review, is looked at again after this long. */
  heldSlotMs: 3_600_000,
  /** Ended deposits whose money is released at once, and how often: each search looks at all of the last 90 days. */
  endedAtOnce: 1_000,
  /** Decisions about one transfer that are read with it, the newest. */
  decisionsRead: 500,
  /** Rows of a file in one transaction. More would keep a bank's push waiting for longer than half a second. */
  importGroup: 500,
  /** The bytes of these rows. A thousand of the longest have 45 MB, and are in memory several times during the import. */
  importGroupBytes: 4 * 1024 * 1024,
  /** Transfers of an import that is undone, in one transaction: each may reverse a deposit, with the counters locked. */
  undoGroup: 500,
  /** Refunds that are listed where they keep an import from being undone. */
  refundsListed: 100,
  sweepMs: 1_000,
  /** Without a heartbeat for this long the installation counts as down; expiry is then delayed by this long. */
  awayMs: 60_000,
  expiryDelayMs: 120_000,
  /** A closed deposit holds its reference for this long, so that a late payment is not matched with another. */
  referenceDays: 90,
  /** Of all references so many are looked at to estimate how many an account holds. */
  referencesLookedAt: 100,

  /**
   * Backups: settings; how often finished WAL is stored, and how often it is looked whether a full backup or a
   * drill is due.
   */
  backup: {
    everyHours: { least: 1, most: 720 },
    keep: { least: 1, most: 1_000 },
    walMs: 10_000,
    dueMs: 600_000,
  },

  /** Callbacks can be replayed for 30 days; their partitions are dropped a few days later. */
  callbackKeepDays: 35,
  partitionsAheadDays: 14,
  /** How often the head of the audit chain is sealed and logged. */
  auditSealMs: 3_600_000,
  /** Attempts of one callback that say how it went, from either end, or that a page shows of it: some have thousands. */
  attemptsRead: 100,
  /**
   * A callback that was sent so often in a day cannot be replayed for a while, because every request is recorded; so many
   * requests of a day are counted.
   */
  replays: { attemptsOfDay: 100, lookedAt: 1_000 },
  eventPage: 500,
  /** Callbacks that a page of one state looks at: of a merchant with a million of them, one in a million may wait. */
  callbacksLookedAt: 2_000,
  /** Deposits that a search of the merchant's console looks at for one page: a million may have the amount, and few the state. */
  depositsLookedAt: 2_000,
  /** Endpoints of one merchant, each an origin that requests named; further origins share so many. */
  endpointsOfMerchant: 1_000,
  sharedEndpoints: 32,

  /** Open payment pages that each process notifies of changes, those of one network, and how often all are read. */
  openPages: 500,
  openPagesPerNetwork: 50,
  pagesRead: 1_000,
  pagesReadMs: 1_000,
  /** Pages are read at most once in this time. */
  pagesGapMs: 100,
  streamHeartbeatMs: 20_000,
  streamUnreadBytes: 8 * 1024,
  streamLeaveMs: 5_000,
  /** The maximum age of an event stream: the browser then opens the next. */
  streamMs: 15 * 60_000,
  /** Console pages that are kept up to date: how many, how often they are made again, and in what part of the time. */
  livePages: 500,
  livePageUnreadBytes: 64 * 1024,
  livePagesPerPerson: 8,
  livePageMs: 2_000,
  livePageGapMs: 1_000,
  livePageShare: 0.1,
  livePageRestMs: 10_000,
  /** Tokens that lead nowhere, per network: guessing stays hopeless and cheap to refuse. */
  unknownPageRate: { perSecond: 1, burst: 60 },

  /** What the demo shop remembers, and how many of one product it sells at once. */
  demoShop: { orders: 50, callbacks: 20, quantity: 9 },
  /**
   * Payments of the fake bank for one deposit, and requests for it; entries of a deposit's history and decisions about what is
   * reported under one bank id, beyond which it adds none.
   */
  fakePayments: { ofDeposit: 1_000, entries: 2_000 },
  /** The test clock goes on for a deposit with so many entries too, and adds none. */
  passTimeEntries: 2_000,
  /** Entries of one statement of the fake bank, and how often a merchant may ask for one: it is written at a stretch. */
  sandboxStatementRows: 2_000,
  sandboxStatementRate: { perSecond: 1, burst: 20 },

  /** Items of the queue on one page. */
  queueItems: 100,
  /** How many items of each kind a filter of the queue reads, oldest first. */
  queueLookedAt: 5_000,
  /** Fields of a form of the consoles: every item of the queue may be ticked. */
  formFields: 160,

  /** Invitations to one merchant in 24 hours: each creates a person, and the desk lists all of them. */
  invitationsOfDay: 100,
  invitationRetrySeconds: 3_600,

  /** Rows of a list that one page renders at a stretch. */
  listRows: 100,

  /** Exports of one merchant or person, and forms of one person: each adds an entry to the audit log, which is kept forever. */
  csvRate: { perSecond: 0.1, burst: 20 },
  actRate: { perSecond: 2, burst: 150 },
  /** How often one person may open a page of the consoles. */
  pageRate: { perSecond: 10, burst: 200 },
  /** Days of charts: how many are cached, and for how long. */
  chartDays: { entries: 5_000, presentMs: 30_000, pastMs: 600_000 },

  alarmsMs: 10_000,
  databaseAwayMs: 30_000,
  /** Calls to the operator at once: one that hangs does not hold the others. */
  operatorCalls: 4,
  /** Ended alarms that wait for their call; beyond it the oldest are in the log only. */
  endedAlarms: 1_000,
  operatorAttempts: 3,
  operatorDeadlineMs: 10_000,

  /** Pictures are drawn one at a time; so many of strangers wait, and as many of known people. */
  picturesWaiting: 20,
  /** Bills: kept ready, and new ones that one network may ask for. */
  billsKeptBytes: 4 * 1024 * 1024,
  billDrawRate: { perSecond: 5, burst: 50 },
  /**
   * Passwords are hashed one at a time, 19 MiB and about 40 ms each; so many of strangers wait, and as many of known
   * people. Further ones are refused before anything is read.
   */
  passwordsWaiting: 8,
  passwordRetrySeconds: 2,
  /** Sign-in attempts are counted in memory, under so many keys. */
  loginAttemptKeys: 50_000,
  /** How long a passkey challenge is valid. */
  passkeyAnswerMs: 5 * 60_000,
  /** Payment pages that are kept for being opened again, 2,000: 7 KB each, 26 KB where no compression is taken. */
  pagesKeptBytes: 16 * 1024 * 1024,
  knownMinutes: 2_000,

  groupMembers: 200,
  /** Creates whose customers have limits are in groups of their own: each reads up to `customerDeposits` deposits, twice. */
  limitedGroupMembers: 20,
  groupsAtOnce: 2,
  groupQueue: 5_000,
  groupAttempts: 5,
  /** For how long members of a group that failed are tried one by one: two may time out, and the others still have time. */
  groupOneByOneMs: 12_000,
  referenceBlock: 1_000,

  delivery: {
    /** A lane is owned for this long at a time; nothing is sent on the last stretch of a lease. */
    leaseMs: 15_000,
    renewMs: 3_000,
    leaseLeftToSendMs: 5_000,
    requestMs: 10_000,
    /** Every node polls this often, even when it is not woken. */
    pollMs: 250,
    loopMs: 10,
    wokenClaimMs: 20,
    /** Lanes per claim: few, so that nodes share them. */
    claimLanes: 64,
    /** A lane without anything to send is released after this time. */
    idleMs: 1_000,
    rememberedLanes: 10_000,
    /** Events that are read at once, of all lanes together. */
    readMost: 2_000,
    /** Events of one merchant that are looked at for what may be sent, from either end of its lanes: many may be held back. */
    lookedAtOfMerchant: 2_000,
    /** Of a merchant with many lanes so many of each: half a thousand lanes are read at once. */
    lookedAtOfLane: 10,
    /** How long callbacks, addresses and secrets are used after they were read: twice this is a second. */
    freshMs: 500,
    inFlight: 2_000,
    inFlightOfMerchant: 500,
    /** Lanes slower than slowMs share this many of them. */
    slowInFlight: 500,
    slowInFlightOfMerchant: 125,
    slowMs: 1_000,
    flushMs: 10,
    flushRows: 500,
    /** Sending pauses while this many results wait for the database. */
    unwritten: 4_000,
    /** A result that the database refuses is kept from being sent again for this long. */
    refusedMs: 60_000,
    backoffMs: 100,
    backoffMostMs: 2_000,
    stopMs: 7_000,
  },

  /**
   * Banks' pushes. How long one waits for its turn, and its transaction for a lock; how many transactions are under way,
   * in all and of one source; how many pushes of one source wait.
   */
  pushes: {
    waitMs: 8_000,
    lockMs: 3_000,
    turns: { atOnce: 6, ofOwner: 2 },
    waiting: 2_000,
  },
  /** Pushes of one source, the accounts that it may report, the networks that it calls from. */
  sourceRate: { perSecond: 100, burst: 1_000 },
  sourceAccounts: 1_000,
  sourceNetworks: 50,

  /** Connections of one process. What people, merchants and customers ask for besides creates has its own. */
  databaseConnections: { money: 8, people: 6 },
  /** Of these so many are opened at the start and kept open. */
  databaseKeptOpen: { money: 6, people: 2 },
  statementTimeoutMs: 5_000,
  /** This long after the statement timeout a silent connection is dropped. */
  silenceMs: 2_000,
  lockTimeoutMs: 1_000,

  /** Processes that share one port: see processes.ts. */
  processes: {
    most: 64,
    /** Memory that one process may take under abuse. By default there are only as many processes as fit into the machine. */
    memoryBytes: 300 * 1024 * 1024,
    /** From its start until it can answer. */
    startMs: 120_000,
    /** One that lived for this long is started again at once. */
    stableMs: 10_000,
    firstPauseMs: 250,
    pauseMs: 30_000,
    /** The program ends after so many failed starts while no other process is ready. */
    failures: 5,
    /** For how long an old process answers its connections at a rolling restart: those that ask nothing, and those under way. */
    idleDrainMs: 5_000,
    drainPollMs: 50,
    drainMs: 60_000,
    /** How long one scrape waits for the figures of a process. */
    metricsMs: 5_000,
    /** Processes report what they took from rate limits this often, and earlier once it is this part of a burst. */
    rateMs: 50,
    rateShare: 0.1,
    /** Connections of PostgreSQL that are left to commands, monitors and the parent, and what a process needs at least. */
    connectionsLeft: 10,
    connectionsLeast: 5,
  },

  /** How long a process that was asked to end keeps connections: idle ones, and all of them. */
  leaving: { idleDrainMs: 1_000, drainPollMs: 20, drainMs: 2_000 },
  shutdownMs: 10_000,
  overloadedRetrySeconds: 1,
  noRequisiteRetrySeconds: 30,
} as const
