/**
 * The one registry of refusals. A refusal is an answer: a code that never changes its meaning, an HTTP status
 * and a sentence the reader can act on. A fault is no refusal: it is logged and answers a bare 500.
 * `retryable` means: the same request, with the same order_id, may succeed later.
 */

type RefusalKind = { status: number; title: string; retryable?: true; advice: string }

const registry = {
  malformed_request: {
    status: 400,
    title: 'This is not a valid HTTP request',
    advice: 'Send a well-formed request with a Host header, as every HTTP library does.',
  },
  malformed_body: {
    status: 400,
    title: 'The body cannot be read',
    advice: 'Send one flat JSON object, or a form, in UTF-8.',
  },
  duplicate_field: {
    status: 400,
    title: 'A field was sent twice',
    advice: 'Send each field once. Two values for one field cannot be signed unambiguously.',
  },
  unknown_field: {
    status: 400,
    title: 'A field is not part of this operation',
    advice: 'Remove the field, or correct its name.',
  },
  invalid_type: {
    status: 400,
    title: 'A field has the wrong type',
    advice: 'Values are strings; cents is an integer. null, booleans, arrays and objects are refused.',
  },
  separator_in_value: {
    status: 400,
    title: 'A value contains the signature separator',
    advice:
      'Without v2 signatures a value must not contain "::" nor begin or end with ":". Write %3A in addresses, or sign with v2.',
  },
  signature_conflict: {
    status: 400,
    title: 'More than one signature was sent',
    advice: 'Send one signature: the X-Signature header once, or the body field, not two that differ.',
  },
  signature_invalid: {
    status: 401,
    title: 'The signature is missing or does not match',
    advice:
      'Check the merchant id, the secret, the order of the fields and their exact values. A test-mode merchant gets the string that we signed.',
  },
  timestamp_out_of_window: {
    status: 401,
    title: 'The signed time is too far from now',
    advice:
      'Sign with the current unix time in seconds; the answer carries ours. Check the clock of your server.',
  },
  bank_token_invalid: {
    status: 401,
    title: 'The bank token is missing or unknown',
    advice: 'Send the token of an enabled bank source as "Authorization: Bearer …".',
  },
  bank_network_refused: {
    status: 403,
    title: 'This bank source may not call from this network',
    advice: 'Call from an allowed network of this bank source, or ask the operator to add yours.',
  },
  login_required: {
    status: 401,
    title: 'You are not signed in',
    advice: 'Sign in, then try again.',
  },
  sign_in_failed: {
    status: 401,
    title: 'The email, password or code is incorrect',
    advice: 'Check what you typed; each code works once. The person who invited you can send a new link.',
  },
  password_easy_to_guess: {
    status: 422,
    title: 'This password is easy to guess',
    advice:
      'Use several unrelated words. Avoid common passwords, names, dates, keyboard patterns and repetitions.',
  },
  link_used_up: {
    status: 410,
    title: 'This link has expired or was already used',
    advice: 'Ask the person who invited you for a new one.',
  },
  second_factor_required: {
    status: 403,
    title: 'A second factor is required',
    advice: 'Enter a code or use a passkey, or set one up.',
  },
  step_up_required: {
    status: 403,
    title: 'Confirm it’s you to continue',
    advice: 'Enter your code or password or use your passkey, then try again.',
  },
  forbidden: {
    status: 403,
    title: 'Your role does not allow this',
    advice: 'Ask a colleague with the right role.',
  },
  merchant_disabled: {
    status: 403,
    title: 'This merchant is disabled',
    advice: 'Ask the operator of this installation.',
  },
  customer_blocked: {
    status: 403,
    title: 'This customer is not served',
    advice: 'Nothing was stored. Ask the operator of this installation.',
  },
  cross_site_request: {
    status: 403,
    title: 'The form came from another site',
    advice: 'Open the payment page itself and use its buttons.',
  },
  scheme_too_weak: {
    status: 403,
    title: 'This operation or key accepts v2 signatures only',
    advice: 'Sign with v2: it covers the method, the path and the whole body.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    advice: 'Check the address or the identifier. What belongs to another merchant looks the same.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This address does not accept that method',
    advice: 'The Allow header lists the accepted methods.',
  },
  request_timeout: {
    status: 408,
    title: 'The request did not arrive in time',
    retryable: true,
    advice: 'Send the whole request within 15 seconds.',
  },
  request_in_progress: {
    status: 409,
    title: 'The same order_id is being created right now',
    retryable: true,
    advice: 'Repeat the same request in a second: it answers with the finished deposit.',
  },
  request_repeated: {
    status: 409,
    title: 'This signature has already been used',
    retryable: true,
    advice:
      'The request has already been carried out. To repeat it, sign it again with a later time: each signature works once.',
  },
  statement_damaged: {
    status: 422,
    title: 'The statement is damaged',
    advice: 'Export the statement again, as the message says. Nothing was imported.',
  },
  statement_account_unknown: {
    status: 422,
    title: 'The statement is for an unknown account',
    advice:
      'Add the account with this number, correct the mapping, or export without it. Nothing was imported.',
  },
  statement_mapping_missing: {
    status: 422,
    title: 'The columns of this file are unknown',
    advice: 'Save a mapping for this bank and choose it. Nothing was imported.',
  },
  statement_header_changed: {
    status: 422,
    title: 'The header does not match the mapping',
    advice: 'Check the columns and save the mapping again. Nothing was imported.',
  },
  statement_format_unsupported: {
    status: 422,
    title: 'This file format is not supported',
    advice: 'Ask the bank for a supported format, as the message says. Nothing was imported.',
  },
  other_source_counts: {
    status: 409,
    title: 'Another source is counted for this account',
    advice: 'Nothing was stored. The operator can change the source of an account from a day on.',
  },
  state_conflict: {
    status: 409,
    title: 'The deposit is not in a state that allows this',
    advice: 'Read the deposit: its state says what is still possible.',
  },
  too_many_keys: {
    status: 409,
    title: 'The limit of active keys is reached',
    advice: 'Wait until an old key expires, or rotate with --overlap-days 0.',
  },
  confirmation_required: {
    status: 409,
    title: 'The requisite looks unusual',
    advice: 'Check each warning with the bank, then repeat with --confirm.',
  },
  already_exists: {
    status: 409,
    title: 'This already exists',
    advice: 'List what exists and change that.',
  },
  events_gone: {
    status: 410,
    title: 'The requested events are no longer stored',
    advice:
      'Events are kept for at least 30 days. Continue from oldest_sequence; read deposits for what came before.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    advice: 'A request body can have at most 16 KiB.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'This content type is not supported',
    advice: 'Send application/json or application/x-www-form-urlencoded.',
  },
  invalid_value: {
    status: 422,
    title: 'A value is not valid',
    advice: 'The errors list names each field and what it may contain.',
  },
  amount_out_of_range: {
    status: 422,
    title: 'The amount is outside the limits',
    advice: 'Stay between min_cents and max_cents of the answer, or choose another payment type.',
  },
  customer_limit_reached: {
    status: 422,
    title: 'This customer has reached a limit',
    advice: 'Nothing was stored. The answer names the limit and when there is room again.',
  },
  currency_not_supported: {
    status: 422,
    title: 'This currency is not offered',
    advice: 'GET /api/v1/requests/limit lists the currencies.',
  },
  payment_type_not_supported: {
    status: 422,
    title: 'This payment type is not offered in this currency',
    advice: 'GET /api/v1/requests/limit lists what is offered.',
  },
  url_not_allowed: {
    status: 422,
    title: 'An address cannot be used',
    advice:
      'Addresses are absolute, without user name and password. A live merchant uses https on port 443 or 8443 and a host name.',
  },
  order_id_reused: {
    status: 422,
    title: 'order_id was already used with different data',
    advice: 'An order_id identifies one deposit forever. Use a new one for a new deposit.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    retryable: true,
    advice: 'Wait as long as Retry-After says.',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    advice: 'A request can have at most 100 headers, and at most 8 KiB of them.',
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong on our side',
    retryable: true,
    advice: 'Repeat the same request; if it persists, tell the operator the request_id.',
  },
  no_requisite_available: {
    status: 503,
    title: 'No requisite is available for this deposit right now',
    retryable: true,
    advice: 'Nothing was stored. Repeat later, or offer another amount or payment type.',
  },
  overloaded: {
    status: 503,
    title: 'Too many requests are waiting',
    retryable: true,
    advice: 'Nothing was stored. Repeat the same request after Retry-After.',
  },
  service_unavailable: {
    status: 503,
    title: 'The database cannot be reached',
    retryable: true,
    advice: 'Repeat the same request: if the first one was stored, you get that deposit.',
  },
} as const satisfies Record<string, RefusalKind>

export type RefusalCode = keyof typeof registry
export const refusals: Readonly<Record<RefusalCode, RefusalKind>> = registry

/** A sentence in English, or a message that prints as one and that the consoles translate. */
export type Sentence = string | { readonly code: string; toString(): string }

/** One field's problem. Names the field, never repeats its value. */
export type FieldProblem = { pointer: string; code: string; detail: Sentence }

export type RefusalDetails = {
  detail?: Sentence
  errors?: FieldProblem[]
  /** Further members of the answer, e.g. min_cents. */
  more?: Record<string, unknown>
  retryAfterSeconds?: number
  headers?: Record<string, string>
}

export class Refusal extends Error {
  readonly code: RefusalCode
  readonly details: RefusalDetails

  constructor(code: RefusalCode, details: RefusalDetails = {}) {
    super(`${details.detail ?? refusals[code].title}`)
    this.code = code
    this.details = details
  }
}

export const isRefusal = (error: unknown, code: RefusalCode): error is Refusal =>
  error instanceof Refusal && error.code === code

/** The body of RFC 9457, the same for every refusal of every address. */
export function problemOf(refusal: Refusal, requestId: string, publicUrl: string) {
  const { status, title, retryable = false, advice } = refusals[refusal.code]
  return {
    type: `${publicUrl}/docs/errors#${refusal.code}`,
    title,
    status,
    code: refusal.code,
    detail: `${refusal.details.detail ?? advice}`,
    retryable,
    request_id: requestId,
    errors: (refusal.details.errors ?? []).map((problem) => ({ ...problem, detail: `${problem.detail}` })),
    ...refusal.details.more,
  }
}
