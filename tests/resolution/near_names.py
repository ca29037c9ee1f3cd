"""Pairs of names that differ by little and are two things each, by kind; written for the project."""

from __future__ import annotations

_LAWS = """
Directive 2014/65/EU | Directive 2014/56/EU
Directive 95/46/EC | Directive 96/45/EC
Directive (EU) 2016/680 | Directive (EU) 2016/681
Regulation (EU) 2016/679 | Regulation (EU) 2016/697
Regulation (EU) No 575/2013 | Regulation (EU) No 573/2015
Regulation (EC) No 1907/2006 | Regulation (EC) No 1907/2009
Council Decision 2008/615/JHA | Council Decision 2008/616/JHA
Implementing Regulation (EU) 2018/151 | Delegated Regulation (EU) 2018/151
Article 5 of the Charter | Article 6 of the Charter
Article 12 of the Treaty | Article 1(2) of the Treaty
Article 101 TFEU | Article 102 TFEU
Section 12A of the Act | Section 12B of the Act
Section 4(1) of the Water Act | Section 4(2) of the Water Act
Annex I | Annex II
Annex A | Annex B
Annex IV to the Agreement | Annex VI to the Agreement
Schedule 1 | Schedule 11
Part I of the Code | Part II of the Code
Protocol No 1 | Protocol No 12
Act of 3 May 1998 | Act of 5 March 1998
Companies Act 1985 | Companies Act 1989
Companies Act 2006 | Company Act 2006
Data Protection Act | Data Protection Bill
Data Protection Act 1998 | Data Protection Act 2018
Consumer Rights Act | Consumer Rights Directive
Public Procurement Act | Private Procurement Act
Water Act | Water Acts
Basel II | Basel III
Solvency I Directive | Solvency II Directive
MiFID I | MiFID II
Rome I Regulation | Rome II Regulation
Dublin II Regulation | Dublin III Regulation
Payment Services Directive | Payment Services Directive 2
First Company Law Directive | Second Company Law Directive
Loi 78-17 | Loi 78-71
Décret 2018-687 | Décret 2018-678
ISO/IEC 27001 | ISO/IEC 27002
ISO 9001:2008 | ISO 9001:2015
IEC 62443-3-2 | IEC 62443-3-3
EN 301 549 | EN 301 594
RFC 2616 | RFC 2661
CVE-2021-44228 | CVE-2021-45046
42 U.S.C. 1983 | 42 U.S.C. 1985
12 CFR 225 | 12 CFR 252
Executive Order 12333 | Executive Order 13233
"""

_ORGANISATIONS = """
Ministry of Finance | Ministry of Defence
Ministry of Health | Ministry of Wealth
Ministry of the Interior | Ministry of the Exterior
Ministry of Foreign Affairs | Ministry of Home Affairs
Ministry of Internal Affairs | Ministry of External Affairs
Ministry of Trade | Ministry of Transport
Department of Justice | Department of Justice and Equality
Department of Energy | Department of Emergency
Department of Defence | Department of Defense
Reserve Bank of India | Reserve Bank of Iran
Central Bank of Malta | Central Bank of Mali
Bank of Ireland | Bank of Iceland
Bank of Austria | Bank of Australia
Embassy of Slovakia | Embassy of Slovenia
Embassy of Niger | Embassy of Nigeria
Republic of Guinea | Republic of Guinea-Bissau
Labour Party | Labor Party
Labour Court | Labour Courts
Supreme Court | Supreme Courts
Federal Reserve Bank of Boston | Federal Reserve Bank of Houston
Court of Appeal | Court of Appeals
Court of Justice | Court of Auditors
European Council | Council of Europe
European Court of Justice | European Court of Human Rights
North Plant Ltd | South Plant Ltd
North Korea Mission | South Korea Mission
East Anglia Water | West Anglia Water
Northern Water Company | Southern Water Company
Upper Valley School | Lower Valley School
Acme GmbH | Acme Ltd
Acme AG | Acme SA
Delta Holding BV | Delta Holding NV
Delta Systems Inc | Delta Systems LLC
Delta Systems plc | Delta Systems Pty Ltd
Omega Capital LP | Omega Capital LLP
Alpha Fund I | Alpha Fund II
Growth Fund III | Growth Fund IV
Alpha Team | Beta Team
Network Service | Network Services
Security Committee | Security Committees
Audit Committee | Audit Commission
Internal Audit Department | External Audit Department
Import Office | Export Office
Regional Development Agency | National Development Agency
National Bank | International Bank
First National Bank | Second National Bank
Third District Court | Fourth District Court
1st Battalion | 2nd Battalion
Public Health Board | Private Health Board
Primary School Board | Secondary School Board
Interim Board | Final Board
Old Guard | New Guard
Former Board | Current Board
Domestic Sales Division | Foreign Sales Division
Input Committee | Output Committee
Direct Procurement Unit | Indirect Procurement Unit
Buyer Association | Seller Association
Unit 7 | Unit 17
Section A | Section B
Aldermoor Water Company | Aldermoor Waste Company
Brightwell Systems Limited | Brightwater Systems Limited
Smith & Sons | Smith & Son
Brown Brothers | Brown Brother
Marks & Spencer | Mark & Spencer
University of York | University of New York
Washington University | University of Washington
Northwestern University | Northeastern University
"""

_PERSONS = """
John Smith Jr. | John Smith Sr.
John Smith, Jr. | John Smith, Sr.
Martin Keller II | Martin Keller III
George Bush Jr. | George Bush
James Mill Senior | James Mill Junior
John A. Smith | John B. Smith
John Adam Smith | John Brian Smith
Mary Jane Watson | Mary Ann Watson
Mr Alex Reed | Mrs Alex Reed
Mr Kim Lee | Ms Kim Lee
J. Smith | John Smith
M. Osei | Margit Osei
A. Weber | Anna Weber
Anna Weber | Anne Weber
Mario Rossi | Maria Rossi
Mario Rossi | Marco Rossi
Jean Martin | Jan Martin
Jon Smith | John Smith
Carl Olsen | Karl Olsen
Carl Olsen | Carl Olson
Peter Hansen | Peter Jansen
Stefan Meier | Stefan Maier
Stephen Brown | Steven Brown
Christian Berg | Christina Berg
Daniel Ferreira | Daniela Ferreira
Paul Dubois | Paula Dubois
Robert Miller | Robert Millar
Philip Green | Philipp Greene
Bridges | Bridge
Woods | Wood
Peter Wood | Peter Woods
David Roberts | Robert Davids
Thomas James | James Thomas
Li Wei | Li Wen
"""

_PLACES = """
North Plant | South Plant
New South Wales | New North Wales
East Station | West Station
Upper Lake | Lower Lake
Site 4 | Site 14
Building 12 | Building 21
Room A | Room B
Pier 1 | Pier 11
Niger | Nigeria
Austria | Australia
Gambia | Zambia
Mauritius | Mauritania
Slovakia | Slovenia
Dominica | Dominican Republic
Old Harbour | New Harbour
Georgia | Georgian
Jackson | Jacksonville
Springfield East | Springfield West
Terminal 1 | Terminal 2
Zone III | Zone IV
"""

_SYSTEMS = """
Gateway v1.2 | Gateway v1.3
Gateway version 2 | Gateway version 12
Release 2024.1 | Release 2024.10
Python 2 | Python 3
TLS 1.2 | TLS 1.3
HTTP/1.1 | HTTP/2
SHA-1 | SHA-256
Model T | Model S
Server A | Server B
Inbound Gateway | Outbound Gateway
Ingress Controller | Egress Controller
Import Service | Export Service
Production Database | Staging Database
Test Server | Production Server
Primary Cluster | Secondary Cluster
Master Node | Replica Node
Upstream Proxy | Downstream Proxy
Read Replica | Write Replica
Online Store | Offline Store
Alpha Release | Beta Release
Internal API | External API
Client Certificate | Server Certificate
Minimum Retention | Maximum Retention
Remote Access Control AC-04 | Remote Access Control AC-07
Policy P-12 | Policy P-21
Ticket CHG-1077 | Ticket CHG-1707
Telemetry Gateway | Telemetry Gateways
Telemetry Gateway | Telemetry Gateway Firmware
Network Address Translation | Network Address Translator
Log Retention Policy 2024 | Log Retention Policy 2025
Draft Security Policy | Final Security Policy
Annual Report | Quarterly Report
January Report | February Report
June Report | July Report
Monday Backup | Sunday Backup
Report for May 2024 | Report for May 2025
Interim Report | Final Report
Report No. 3 | Report No. 13
Lot 1 | Lot 2
Change Request Form | Change Request Forum
Data Controller | Data Processor
Incident Response Plan | Incident Response Plans
"""

#: Type and pairs of each kind.
KINDS = {"law": _LAWS, "organisation": _ORGANISATIONS, "person": _PERSONS, "place": _PLACES, "system": _SYSTEMS}

NEAR: list[tuple[str, str, str]] = [
    (kind, *(name.strip() for name in line.split("|")))  # type: ignore[misc]
    for kind, lines in KINDS.items()
    for line in lines.strip().splitlines()
]
