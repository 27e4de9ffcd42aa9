/** The words of the merchant's console, in English. They define what the other language has to say. */

import type { OptionalEvent } from '../../domain/callbacks/callback.ts'
import type { MerchantRole } from '../../domain/people/person.ts'
import { sharedWords } from '../staff/shared-words.ts'

export const en = {
  ...sharedWords.en,
  groups: { payments: 'Payments', integration: 'Integration', account: 'Account' },
  sections: {
    overview: 'Overview',
    deposits: 'Deposits',
    callbacks: 'Callbacks',
    endpoints: 'Endpoints',
    keys: 'Keys',
    limits: 'Limits',
    bank: 'Test bank',
    people: 'People',
    settings: 'Settings',
  },
  roles: { viewer: 'Viewer', developer: 'Developer', owner: 'Owner' } satisfies Record<MerchantRole, string>,
  needs: (role: string) => `To change this you need the role “${role}” or higher.`,
  cancel: 'Cancel',
  merchantId: 'Merchant ID',
  yes: 'Yes',
  no: 'No',
  act: 'Action',
  guide: 'the guide',

  deposits: {
    state: 'State',
    method: 'Method',
    time: 'Time',
    order: 'Order',
    amount: 'Amount',
  },

  keys: {
    text: 'Your server signs every request with one of these keys. A secret is shown only once, when it is created.',
    id: 'Key ID',
    made: 'Created',
    used: 'Last used',
    literal: 'literal',
    ends: 'Expires',
    endsNot: 'no expiry',
    ended: 'Expired',
    live: 'Active',
    v2: 'Signatures',
    v2Only: 'v2 only',
    bothSchemes: 'literal and v2',
    makeV2Only: 'Accept v2 only',
    offer: (key: string, days: number) =>
      `All requests with ${key} in the last ${days} days were signed with v2. If you accept v2 only, a stolen literal-signed request becomes useless. You can change this back at any time.`,
    offerOver:
      'A request with a literal signature has arrived since this page was opened. Check the key again before you decide.',
    takeBoth: 'Accept both',
    v2Title: 'Accept v2 signatures only?',
    v2Text: (key: string) =>
      `Requests signed by ${key} with the literal scheme will be refused with 403. Check the last use first: if your server still signs this way, it stops working immediately.`,
    bothTitle: 'Accept literal signatures again?',
    bothText: (key: string) =>
      `Requests signed by ${key} with the literal scheme will be accepted along with v2.`,
    rotate: 'Create new key',
    rotateRequestTitle: 'Create a new signing key?',
    rotateRequestText:
      'The new secret is shown only once. Current keys keep working during the overlap and then expire; switch to the new key before that.',
    rotateCallbackTitle: 'Create a new callback secret?',
    rotateCallbackText:
      'The new secret is shown only once. During the overlap every callback carries two signatures, one per secret.',
    overlap: 'Overlap, days',
    overlapHint: (most: number) => `0 to ${most}. With 0, the current ones stop working immediately.`,
    newV2Only: 'The new key accepts v2 signatures only',
    made1: 'New key created',
    shownOnce: 'The secret is shown only once. Store it where your server keeps its secrets.',
    secret: 'Secret',
    oldEnd: (days: number) =>
      days === 0
        ? 'The other keys have expired.'
        : `The other keys expire in ${days} ${days === 1 ? 'day' : 'days'}.`,
    done: 'I saved it',
    copy: 'Copy',
    copied: 'Copied',
  },

  settings: {
    rules: 'Deposit rules',
    rulesText: {
      times: 'Apply to new deposits.',
      differences: 'Apply to all open deposits.',
    },
    settings: {
      choiceMinutes: [
        'Time to choose a method, minutes',
        'For deposits where the customer chooses the payment method.',
      ],
      paymentMinutes: ['Time to pay, minutes', ''],
      lateGraceHours: [
        'Late payments accepted, cards and phones, hours',
        'Counted from the payment deadline.',
      ],
      lateGraceAccountHours: [
        'Late payments accepted, bank accounts, hours',
        'Bank transfers can take days over a weekend.',
      ],
      underpaidPolicy: ['Underpayment', ''],
      underpaidToleranceCents: [
        'Accepted shortfall, in the deposit’s currency',
        'Used when underpayments are accepted. For example, 0.50.',
      ],
      overpaidPolicy: ['Overpayment', ''],
      latePolicy: ['Late payment', ''],
    },
    policies: {
      wait: 'Wait for the rest',
      accept: 'Accept within the allowed shortfall',
      review: 'Manual review',
      confirm: 'Confirm',
    } as Record<string, string>,
    language: 'Payment page language',
    languageHint: 'Used when the customer’s browser asks for no supported language.',
    languageNone: 'Not set',
    events: 'Optional events',
    eventsHint: 'Sent in addition to the standard events.',
    eventNames: {
      'deposit.method_selected': 'Customer chose a payment method (deposit.method_selected)',
      'deposit.claimed': 'Customer reported the payment (deposit.claimed)',
    } satisfies Record<OptionalEvent, string>,
    byOperator: 'Set by the operator',
    rate: 'Requests per second',
    burst: 'Request burst',
    customerOpen: 'Open deposits per customer',
    customerDay: 'Daily limit per customer, in the deposit’s currency',
    customerMonth: 'Monthly limit per customer, in the deposit’s currency',
    unlimited: 'No limit',
    range: (least: number, most: number) => `${least} to ${most}.`,
    wrong: (name: string) => `“${name}” has an invalid value. Nothing was changed.`,

    people: 'People',
    peopleText: 'People with access to this merchant. The operator’s team can view it too.',
    name: 'Name',
    email: 'Email',
    role: 'Role',
    seen: 'Last active',
    factor: 'Second factor',
    disabled: 'Disabled',
    you: 'You',
    invite: 'Invite person',
    inviteText:
      'You get a one-time link, valid for three days. Send it to this person only; they get access after accepting the invitation.',
    roleHints: {
      viewer: 'Viewer: read-only access',
      developer: 'Developer: callbacks, keys and the test bank',
      owner: 'Owner: everything, including rules and people',
    } satisfies Record<MerchantRole, string>,
    invited: 'Invitation created',
    invitedText: (email: string) =>
      `Send this link to ${email}. It works once, is valid for three days and will not be shown again.`,
    roleSet: 'Role changed',
    roleSetText: (email: string) => `${email} already has access. The new role applies immediately.`,
    invitations: 'Invitations',
    invitationsText: 'Not accepted yet. To change the role or get a new link, invite the person again.',
    until: 'Valid until',
    withdraw: 'Withdraw invitation',
    end: 'Remove access',
    endTitle: (name: string) => `Remove access for ${name}?`,
    endText: (email: string) =>
      `${email} loses access to this merchant immediately. Their past actions stay in the audit log.`,
    lastOwner: 'A merchant must have at least one owner. Invite another owner first.',
  },

  returns: {
    title: 'Return URLs',
    text: 'The payment page sends customers back here unless your request sets its own URLs.',
    success: 'After payment (success_url)',
    successHint: 'After the deposit is confirmed.',
    reject: 'Without payment (reject_url)',
    rejectHint: 'After the deposit is rejected, canceled, expired or reversed.',
    change: 'Change return URLs',
    changeText: 'Applies to new deposits; open ones keep their URLs. Leave a field empty for no URL.',
    inTest: 'In test mode the new URLs take effect immediately.',
    inLive: 'In live mode the new URLs take effect after the operator approves them.',
    ask: 'Request URL changes',
    asked: (who: string) => `${who} requested these URLs. Waiting for the operator’s approval.`,
    waiting: 'A URL change is already waiting for the operator’s approval.',
    withdraw: 'Withdraw request',
  },

  branding: {
    title: 'Branding',
    text: 'Your logo and colour on the payment page show customers that they are paying you.',
    change: 'Change branding',
    form: 'Colour and logo',
    logo: 'Logo',
    logoHint: (kilobytes: number, side: number) =>
      `PNG, at most ${kilobytes} KB and ${side} × ${side} pixels. We redraw it to fit the page.`,
    remove: 'Remove logo',
    colour: 'Colour',
    colourHint: 'For example #d6336c. Empty means our default.',
    picker: 'Choose colour',
    preview: 'Preview',
    previewText:
      'Updates as you choose; customers see it after you save. Text on the colour is white or black. A colour that would be hard to see is outlined or lightened.',
    themes: { light: 'Light theme', dark: 'Dark theme' },
    order: 'Order 1024',
    inLive:
      'This merchant is live: customers see the change immediately. It is saved in the audit log, and the operator is notified.',
  },

  bank: {
    text: 'Test transfers go through the same code as real ones: bank source, matching, confirmation, callback. No real money moves.',
    pay: 'Pay a deposit',
    payThis: 'Pay',
    payField: 'Deposit ID or order ID',
    what: 'Scenario',
    plays: {
      exact: 'Pay the exact amount',
      less: 'Pay half',
      more: 'Overpay by 10%',
      late: 'Pay after the deadline',
      twice: 'Pay twice',
      reject: 'Reject the deposit',
    } as Record<string, string>,
    go: 'Run scenario',
    recent: 'Latest deposits',
    time: 'Move the test clock',
    timeText:
      'Brings the deadlines of your open deposits closer by this many minutes. Other merchants are not affected.',
    minutes: 'Minutes',
    unknown: 'You have no deposit with this ID.',
    emptyTitle: 'No deposits to pay yet',
    emptyText: 'Create one with your test key first:',
  },

  refused: {
    too_many_keys:
      'The limit of active keys is reached. Wait until one expires, or create a new one with an overlap of 0 days.',
    state_conflict: 'This is not possible in the current state.',
    already_exists: 'The same request is already waiting for a decision.',
    invalid_value: 'The value is not valid.',
    rate_limited: 'Too many requests. Try again later.',
  } as Record<string, string>,

  notices: {
    saved: sharedWords.en.saved,
    v2: 'Key changed.',
    played: 'Scenario started. Check the deposit.',
    time: 'Test clock moved. Expired deposits close within a second.',
    branding: 'Branding saved. The payment page has the new look.',
    logoRemoved: 'Logo removed from the payment page.',
    returns: 'The new return URLs are in effect.',
    returnsAsked: 'Return URL change requested. The operator decides.',
    returnsWithdrawn: 'Return URL request withdrawn.',
    ended: 'Access removed.',
    invitationWithdrawn: 'Invitation withdrawn. Its link no longer works.',
    withdrawn: 'URL request withdrawn.',
  } as Record<string, string>,
}

export type ConsoleWords = typeof en
