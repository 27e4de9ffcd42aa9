/** English, British spelling: a reader sees `cancelled`, though the key is the wire's `canceled`. */
import { pluralOf } from './plural.ts'
import type { Messages } from './ru.ts'

const minutes = pluralOf('en', { one: 'minute', other: 'minutes' })

export const en: Messages = {
  ownName: 'English',
  languages: 'Language',

  title: 'Payment by transfer',
  testMode: 'Test mode: do not send money',
  order: 'Order',
  exactly: 'Transfer exactly this amount, in one payment',
  until: (time) => `Pay by ${time}`,
  left: 'Time left',
  minutesLeft: (count) => `${count} ${minutes(count)} left.`,

  copyOf: (label) => `Copy: ${label}`,
  copied: 'Copied',
  copyFailed: 'Selected: please copy it by hand',

  rows: {
    amount: 'Amount',
    card: 'Card number',
    phone: 'Phone number',
    account: 'Account number',
    iban: 'Account number (IBAN)',
    recipient: 'Recipient',
    bank: 'Bank',
    bic: 'BIC',
    mfo: 'MFO',
    corrAccount: 'Corr. account',
    taxId: 'Tax number (INN)',
    taxIdKz: 'BIN/IIN',
    kpp: 'KPP',
    kbe: 'KBE',
    knp: 'KNP',
    purpose: 'Payment purpose',
    reference: 'Reference to quote',
    received: 'Received',
    paidAt: 'Time',
  },
  keepPurpose: 'Do not change this text: your payment is recognised by it.',

  openBank: 'Open the bank app',
  saveBill: 'Save the bill',
  scanWithBank: 'Scan in your bank app',
  continueOnPhone: 'Continue on your phone',
  bankCode: (amount, name) => `QR code for the transfer: ${amount}, recipient ${name}`,
  pageCode: 'QR code with the address of this page',

  howTo: 'How to pay',
  steps: {
    card: 'Open the app of your bank and choose a transfer by card number.',
    phone: (bank) =>
      `Open the app of your bank and choose a transfer by phone number (SBP), recipient’s bank: ${bank}.`,
    account: 'Open the app of your bank and choose a transfer by account details.',
    check: 'Enter the details and exactly this amount. Check the name of the recipient.',
    claim: 'After the transfer, come back here and press “I have paid”.',
  },
  questions: 'What if…',
  closeAsk: 'You close the page?',
  closeAnswer: 'Nothing is lost: the link keeps working, and we will see the transfer without you.',
  lateAsk: 'You transfer later?',
  lateAnswer: (time) => `The transfer is accepted until ${time}, but checking it may take longer.`,
  twiceAsk: 'You transfer twice?',
  twiceAnswer: 'A second transfer is not needed. Ask the shop about a refund of the excess.',

  safety: {
    compareName: 'Your bank will show this name. If it shows another, stop.',
    transferOnly: 'This is a transfer in your own bank, not a card payment.',
    neverAsk: 'We never ask for CVV, PIN or codes from SMS.',
    ourAddress: 'The address of this page:',
  },

  claim: 'I have paid',
  refresh: 'Refresh status',
  giveUp: 'Give up this payment',
  help: 'Help',
  helpText: 'The shop answers questions about the order and the money. Quote this reference:',
  toShop: 'Return to the shop',
  returnsIn: 'You will return to the shop in',
  seconds: 's',
  stay: 'Stay here',
  print: 'Print',

  choose: {
    head: 'Choose how to pay',
    one: 'Payment method',
    until: (time) => `Choose by ${time}`,
    next: 'Continue',
    unavailable: 'Not available now',
    ranOut: 'This method is not available now. Choose another one.',
    none: 'No method is available now. Refresh the page in a few minutes.',
    pickOne: 'Choose one of the methods.',
    needs: {
      card: 'You will need a bank app: a transfer by card number.',
      phone: 'You will need a bank app with transfers by phone number.',
      account: 'You will need a bank with transfers by account details.',
    },
  },
  methods: {
    any_bank: 'To a card of any bank',
    sbp: 'SBP, by phone number',
    bankx: 'To a card of Bank X',
    account_number: 'To a bank account',
  },

  status: {
    choose: 'Waiting for your choice',
    pay: 'Waiting for your transfer',
    checking: 'Checking the transfer',
    short: 'Less arrived than needed',
    success: 'Payment received',
    rejected: 'Payment rejected',
    expired: 'The time to pay is over',
    closed: 'The time to pay is over',
    canceled: 'The shop cancelled the payment',
    reversed: 'The bank took the payment back',
  },
  progress: { sent: 'Sent', received: 'Received', confirmed: 'Confirmed' },
  checking: {
    looking: (amount) =>
      `Looking for a transfer of ${amount}. It takes from a few minutes to a working day, depending on the bank.`,
    review: 'The money has arrived. A person is checking the payment, which may take longer.',
    part: (received, amount) =>
      `Received ${received} of ${amount}. Do not send more yet: the shop or an operator will decide what is next.`,
    mayClose: 'You may close this page.',
  },
  short: {
    text: (received, missing) => `Received ${received}. Still to transfer: ${missing}.`,
    same: 'The details and the purpose are the same, the amount is different.',
    samePayer: 'Send it from the same card or account as before, to the same details.',
    exactly: 'Transfer exactly the missing amount',
  },
  success: {
    text: 'Thank you. We are telling the shop.',
    overpaid: 'More arrived than needed. Ask the shop about a refund of the difference.',
    late: 'The transfer came after the deadline, but it was accepted.',
    receipt: 'Receipt',
  },
  rejected: {
    byCustomer: 'You gave up this payment.',
    byOther: 'This payment was not accepted. The shop knows the reason.',
    money: 'If you have already sent the money, it is not lost: ask the shop and quote the reference below.',
  },
  expired: {
    sent: (time) => `Already sent? Do not send again: we are waiting for the transfer until ${time}.`,
    notSent: 'Not yet? Do not send: return to the shop and start again.',
    claimed: 'Thank you, we are looking for your transfer.',
  },
  closed: {
    text: 'This link is no longer for paying.',
    money: 'If you sent the money, ask the shop and quote the reference below.',
    unchosen: 'No payment method was chosen. Return to the shop and start again.',
  },
  canceled: { text: 'Do not transfer money by this link.' },
  reversed: { text: 'The bank returned the money to the sender. Ask the shop.' },

  giveUpPage: {
    head: 'Give up this payment?',
    text: 'The request will close and cannot be paid. If the transfer is already sent, do not give up.',
    yes: 'Yes, give up',
    no: 'No, back to paying',
  },
  gone: {
    head: 'There is no such page',
    text: 'The link is incomplete or wrong. Open it again from the shop.',
  },
  failed: {
    head: 'That did not work',
    crossSite: 'The request did not come from this page. Open the link from the shop and try again.',
    tooMany: 'Too many requests. Wait a minute and refresh the page.',
    late: 'The payment has changed meanwhile. Return to the payment page.',
    other: 'That did not work. Return to the payment page and try again.',
    fault: 'The mistake is on our side. Refresh the page in a minute.',
    back: 'To the payment page',
  },

  panel: {
    head: 'Test bank',
    text: 'Play the bank: what arrived in the account?',
    exact: 'Exact',
    less: 'Less',
    more: 'More',
    late: 'Late',
    twice: 'Twice',
    reject: 'Reject',
  },

  bill: {
    title: (amount, shop) => `Bill: ${amount}, ${shop}`,
    until: (time) => `by ${time}`,
    test: 'TEST',
    leads: {
      choose: 'No payment method has been chosen yet.',
      pay: 'Transfer exactly this amount, in one payment,',
      expired: 'The time to pay is over. Do not transfer.',
      closed: 'The time to pay is over. Do not transfer.',
      success: 'Payment received.',
      rejected: 'Payment rejected. Do not transfer.',
      canceled: 'The shop cancelled the payment. Do not transfer.',
      reversed: 'The bank took the payment back.',
    },
    stamps: {
      expired: 'TIME IS OVER',
      closed: 'TIME IS OVER',
      success: 'PAID',
      rejected: 'REJECTED',
      canceled: 'CANCELLED',
      reversed: 'TAKEN BACK',
    },
  },

  cities: { RUB: 'Moscow', UZS: 'Tashkent', KZT: 'Almaty', TJS: 'Dushanbe' },
  signs: { RUB: '₽', UZS: 'soʻm', KZT: '₸', TJS: 'somoni' },
}
